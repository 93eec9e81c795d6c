import { ConfigurationError } from '../../errors.ts';
import { listQueryName, type NamedEndpoint, queryEndpoints } from './endpoints.ts';
import { isList, type Operation, standardOperations } from './standard-operations.ts';

/** Refuses two operations of a resource with the same method and path. `custom` has the operations of its own. */
export function checkEndpoints(ops: readonly Operation[], custom: readonly NamedEndpoint[], where: string): void {
  const lists = ops.filter(isList).map((name) => standardOperations[name].path);
  const queries = lists.flatMap(queryEndpoints).map((endpoint) => ({ name: listQueryName, ...endpoint }));
  const endpoints = [...ops.map((name) => ({ name, ...standardOperations[name] })), ...queries, ...custom];
  for (const [index, endpoint] of endpoints.entries()) {
    for (const earlier of endpoints.slice(0, index)) checkPair(earlier, endpoint, where);
  }
}

/**
 * With the same method and path, or with paths that differ only in the names of parameters, one operation would never
 * run.
 */
function checkPair(first: NamedEndpoint, second: NamedEndpoint, where: string): void {
  if (shapeOf(first.path) !== shapeOf(second.path)) return;
  const both = `\`${first.name}\` and \`${second.name}\` of ${where}`;
  if (first.method === second.method)
    throw new ConfigurationError(`${both} are both ${first.method} \`${second.path}\`: give one of them another \`path\` or \`method\`.`);
  if (first.path !== second.path)
    throw new ConfigurationError(`${both} have paths that differ only in the names of parameters: \`${first.path}\`, \`${second.path}\`.`);
}

function shapeOf(path: string): string {
  return path.replaceAll(/:\w+/g, ':');
}
