import ts from 'typescript';

/**
 * The titles of the tests of a file, each behind those of the blocks that it stands in, as they are written there: `%s`
 * and `$name` of a table stay.
 */
export function titlesOf(text: string): string[] {
  const titles: string[] = [];
  visit(ts.createSourceFile('test.ts', text, ts.ScriptTarget.Latest, true), []);
  return titles;

  function visit(node: ts.Node, blocks: readonly string[]): void {
    const found = ts.isCallExpression(node) ? titled(node) : undefined;
    if (found?.kind === 'it') titles.push([...blocks, found.title].join(' '));
    const within = found?.kind === 'describe' ? [...blocks, found.title] : blocks;
    ts.forEachChild(node, (child) => visit(child, within));
  }
}

/** What a call of `it`, `describe` or their `each` declares. */
function titled({ expression, arguments: [title] }: ts.CallExpression): { readonly kind: string; readonly title: string } | undefined {
  const kind = /^(it|describe)(?:$|\.each\b)/.exec(expression.getText())?.[1];
  return kind && title && ts.isStringLiteralLike(title) ? { kind, title: title.text } : undefined;
}
