import { documents, referencesOf, walk } from './documents.ts';
import { compileNamed, compileSchema } from './published.ts';

describe.each(documents)('the document of %s', (_name, document) => {
  it('refers to nothing that is not there, and holds nothing that is not referred to', () => {
    const places = new Set([...walk(document)].map(({ path }) => path));
    const references = referencesOf(document);
    expect(references.filter((reference) => !places.has(reference))).toEqual([]);
    const { securitySchemes: _, ...shared } = document.components;
    const components = Object.entries(shared).flatMap(([kind, parts]) => Object.keys(parts).map((name) => `#/components/${kind}/${name}`));
    expect(components.filter((component) => !references.includes(component))).toEqual([]);
  });

  it('has no control character in a pattern, each of which compiles', () => {
    const patterns = [...walk(document)].flatMap(({ part }) => (typeof part.pattern === 'string' ? [part.pattern] : []));
    expect(patterns.length).toBeGreaterThan(0);
    for (const pattern of patterns) {
      expect(pattern).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      expect(() => new RegExp(pattern, 'u')).not.toThrow();
    }
  });

  it('gives a type to each part of `anyOf` and `allOf`, because some generators make `unknown` of a part without one', () => {
    const combined = [...walk(document)].filter(({ path }) => /\/(?:anyOf|allOf)\/\d+$/.test(path) && !path.includes('/not/'));
    expect(combined.filter(({ part }) => !('type' in part || '$ref' in part)).map(({ path }) => path)).toEqual([]);
  });

  it('names each operation once', () => {
    const ids = [...walk(document.paths)].flatMap(({ part }) => (typeof part.operationId === 'string' ? [part.operationId] : []));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has only schemas that a strict validator compiles', () => {
    const names = Object.keys(document.components.schemas ?? {});
    expect(names.length).toBeGreaterThan(0);
    for (const name of names) expect(() => compileNamed(document, name)).not.toThrow();
    const inline = [...walk(document.paths)].filter(({ path, part }) => path.endsWith('/schema') && !('$ref' in part));
    expect(inline.length).toBeGreaterThan(0);
    for (const { part } of inline) expect(() => compileSchema(document, part)).not.toThrow();
  });
});
