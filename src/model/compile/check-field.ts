import { ConfigurationError } from '../../errors.ts';
import type { CompiledField, Node } from '../node.ts';
import { dateLeaf } from '../value/leaves.ts';
import { intLeaf } from '../value/number-leaves.ts';
import { checkDeletedAt } from './deleted-at.ts';

/** Checks a keyword that must be true, false or undefined. Returns `otherwise` for undefined. */
export function checkFlag(value: unknown, keyword: string, path: string, otherwise = false): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? otherwise;
  throw new ConfigurationError(`\`${keyword}\` of \`${path}\` must be true or false.`);
}

/** Checks the `maintained` keyword, which marks a field that the service itself sets. */
export function checkMaintained(maintained: unknown, node: Node, path: string): CompiledField['maintained'] {
  if (maintained === undefined) return undefined;
  if (path.includes('.'))
    throw new ConfigurationError(
      `\`${path}\` cannot be a revision or a timestamp: only the record itself has these, not an embedded object.`,
    );
  const leaf = node.kind === 'leaf' ? node.leaf : undefined;
  if (maintained === 'revision') {
    if (leaf !== intLeaf) throw new ConfigurationError(`The revision \`${path}\` must be an integer: use \`t.revision()\`.`);
    return maintained;
  }
  if (maintained !== 'createdAt' && maintained !== 'updatedAt' && maintained !== 'deletedAt') {
    throw new ConfigurationError(`\`maintained\` of \`${path}\` must be revision, createdAt, updatedAt or deletedAt.`);
  }
  if (leaf !== dateLeaf) throw new ConfigurationError(`\`${path}\` must be a date: use \`t.${maintained}()\`.`);
  return maintained;
}

/** Refuses markers that contradict each other. */
export function checkMarkers(field: CompiledField, path: string): void {
  const isOpened = field.policy.insert || field.policy.update;
  const mayBeMissing = field.nullable || field.optional;
  if (field.storeNone && !field.nullable)
    throw new ConfigurationError(`\`storeNone\` of \`${path}\` needs a nullable field: use \`t.nullable\`.`);
  if (field.immutable && field.policy.update)
    throw new ConfigurationError(`\`${path}\` is immutable: \`policy.update: true\` contradicts it.`);
  if (field.isId && mayBeMissing) throw new ConfigurationError('`id` can be neither optional nor nullable.');
  if (field.isId && field.policy.update) throw new ConfigurationError('`id` never changes: `policy.update: true` contradicts it.');
  field.kind?.check(field, path);
  if (field.maintained === 'deletedAt') checkDeletedAt(field, path);
  else if (field.maintained && mayBeMissing)
    throw new ConfigurationError(`\`${path}\` is set by the service: it can be neither optional nor nullable.`);
  if (field.maintained === 'revision' && field.policy.private)
    throw new ConfigurationError(`The revision \`${path}\` cannot be private: every \`ETag\` shows it.`);
  if (field.maintained && isOpened) {
    throw new ConfigurationError(`\`${path}\` is set by the service: \`policy.insert\` and \`policy.update\` cannot open it.`);
  }
}
