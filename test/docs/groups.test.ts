import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { blocksOf, pages, root, sourcesIn } from '../support/docs/pages.ts';

/** The keys that cover less than a reader takes them for, and the group that covers it. */
const narrow: Readonly<Record<string, string>> = { list: 'read', get: 'read', patch: 'change', put: 'change', delete: 'remove' };
const options = ['guardsFor', 'before', 'within', 'after'];

/** The single keys of `guardsFor`, `before`, `within` and `after` in a source that the reader may copy. */
function singleKeysOf(code: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && ts.isObjectLiteralExpression(node.initializer) && !isOfFeathers(node)) {
      const [option, keys] = [node.name.getText(), node.initializer.properties.map((one) => one.name?.getText() ?? '')];
      if (options.includes(option)) for (const key of keys) if (narrow[key]) found.push(`${option}: { ${key} }`);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('one.ts', code, ts.ScriptTarget.Latest, true));
  return found;
}

/** `.hooks({ before: { patch } })` */
function isOfFeathers({ parent }: ts.Node): boolean {
  return ts.isCallExpression(parent.parent) && parent.parent.expression.getText().endsWith('.hooks');
}

describe('guards and hooks name the group, not one operation of it', () => {
  it.each(pages)('in %s', (page) => {
    const blocks = blocksOf(page).filter(({ language }) => language === 'ts');
    expect(blocks.flatMap(({ code, line }) => singleKeysOf(code).map((found) => `${page}:${line} ${found}`))).toEqual([]);
  });

  it.each([...sourcesIn('examples'), ...sourcesIn('create')])('in %s', (file) => {
    expect(singleKeysOf(readFileSync(join(root, file), 'utf8'))).toEqual([]);
  });

  it('and a single key is found', () => {
    expect(singleKeysOf('shop.resource({ before: { create: [a], patch: [a] }, guardsFor: { remove: [b] } })')).toEqual([
      'before: { patch }',
    ]);
  });
});
