import ts from 'typescript';
import type { FunctionRange } from './coverage.ts';

/** Where the tokens of a source begin. Comments are no tokens. */
export function tokenPlaces(text: string): number[] {
  const source = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, false);
  const places: number[] = [];
  function visit(node: ts.Node): void {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(source);
    if (children.length === 0 && node.getWidth(source) > 0) places.push(node.getStart(source));
    for (const child of children) visit(child);
  }
  visit(source);
  return places;
}

/** How many tokens are in functions that ran. A token belongs to the innermost function around it. */
export function countRan(places: readonly number[], functions: readonly FunctionRange[]): number {
  const outerFirst = [...functions].sort((a, b) => a.start - b.start || b.end - a.end);
  return places.filter((place) => outerFirst.findLast(({ start, end }) => start <= place && place < end)?.ran).length;
}
