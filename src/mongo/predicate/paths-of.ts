import type { Comparison, Predicate } from './predicate.ts';
import { nodeOf } from './row-scope.ts';

/**
 * The stored paths of a record on which it depends whether it fulfils a predicate. Of what lies in an item or in a
 * related record, it is the path that leads there. Undefined if any may count.
 */
export function pathsOf(predicate: Predicate): string[] | undefined {
  const node = nodeOf(predicate);
  if (!node) return Object.keys(predicate).length === 0 ? [] : undefined;
  switch (node.kind) {
    case 'condition':
      return pathsOfComparison(node.condition);
    case 'conditions':
      return node.of.flatMap(pathsOfComparison);
    case 'not':
      return pathsOf(node.of);
    case 'item':
      return [node.path];
    case 'related':
      return [node.step.path];
    case 'own':
      return node.is.paths ? [...node.is.paths] : node.is.comparisons.flatMap(pathsOfComparison);
    case 'both':
      return pathsOfAll([node.first, node.second]);
    default:
      return pathsOfAll(node.of);
  }
}

function pathsOfAll(parts: readonly Predicate[]): string[] | undefined {
  const paths: string[] = [];
  for (const part of parts) {
    const own = pathsOf(part);
    if (!own) return undefined;
    paths.push(...own);
  }
  return paths;
}

function pathsOfComparison({ field: { path, caseless } }: Pick<Comparison, 'field'>): string[] {
  return caseless ? [path, caseless.exactPath] : [path];
}
