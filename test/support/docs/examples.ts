import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { root } from './pages.ts';

/** An `@example` of a doc comment. */
export interface Example {
  /** `src/api/api.ts`. */
  readonly file: string;
  /** What the comment describes: `jsonBody`, `t.string`, `ApiOptions.problem`. */
  readonly name: string;
  /** The interface of which it describes a member that is not a method. */
  readonly optionOf?: string;
  readonly code: string;
}

/** The source files that an entry point of the package exports from. */
export const exportingFiles: readonly string[] = (() => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entries = Object.values<{ types?: string }>(exports).flatMap(({ types }) =>
    types === undefined ? [] : [types.replace(/^\.\/dist\/(.*)\.d\.ts$/, 'src/$1.ts')],
  );
  const index = readFileSync(join(root, 'src/index.ts'), 'utf8');
  const exported = [...index.matchAll(/ from '\.\/([^']+)'/g)].map(([, path]) => `src/${path}`);
  return [...new Set([...entries, ...exported])].filter((file) => file !== 'src/index.ts').sort();
})();

/** The examples in the doc comments of a source file. */
export function examplesOf(file: string): Example[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);
  const found = new Map<number, Example>();
  const visit = (node: ts.Node): void => {
    for (const tag of ts.getJSDocTags(node)) {
      if (tag.tagName.text !== 'example' || found.has(tag.pos)) continue;
      const name = ts.getNameOfDeclaration(node as ts.Declaration)?.getText(source) ?? '';
      const isOption = ts.isPropertySignature(node) && ts.isInterfaceDeclaration(node.parent);
      const code = ts.getTextOfJSDocComment(tag.comment) ?? '';
      found.set(tag.pos, { file, name, code, ...(isOption && { optionOf: (node.parent as ts.InterfaceDeclaration).name.text }) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return [...found.values()];
}
