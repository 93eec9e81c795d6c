import { ConfigurationError } from '../../errors.ts';
import { type CompiledField, deleteActions, type Node, type Reference, relationSlot } from '../node.ts';
import { dateLeaf } from '../value/leaves.ts';
import { intLeaf } from '../value/number-leaves.ts';

/** Refuses names that a stored field or a step of a dotted path cannot have. */
export function checkName(name: string, path: string, parent: string): void {
  if (name === '' || name === '__proto__' || name === '_bsontype' || /^\$|[.\0[\]]/.test(name) || !name.isWellFormed()) {
    throw new ConfigurationError(
      `\`${path}\` is not a valid field name: it must not be empty, \`__proto__\` or \`_bsontype\`, begin with $, or hold a dot, a bracket or NUL.`,
    );
  }
  if (parent === '' && name === '_id') throw new ConfigurationError('A model declares its id as `id`; it is stored as `_id`.');
}

/** Checks a keyword that must be true, false or undefined. Returns `otherwise` for undefined. */
export function checkFlag(value: unknown, keyword: string, path: string, otherwise = false): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? otherwise;
  throw new ConfigurationError(`\`${keyword}\` of \`${path}\` must be true or false.`);
}

/** Checks the `ref` keyword that `t.ref` sets. */
export function checkReference(ref: unknown, path: string): Reference | undefined {
  if (ref === undefined) return undefined;
  const { model, as, resource, exists, onDelete, ...rest } = (typeof ref === 'object' && ref !== null ? ref : {}) as Record<
    string,
    unknown
  >;
  const isName = as === undefined || (typeof as === 'string' && as !== '' && as !== '__proto__' && !/[.,$\0[\]]/.test(as));
  const isPath = resource === undefined || (typeof resource === 'string' && resource !== '');
  if (exists !== undefined && typeof exists !== 'boolean')
    throw new ConfigurationError(`\`exists\` of the reference \`${path}\` must be true or false.`);
  if (onDelete !== undefined && !(deleteActions as readonly unknown[]).includes(onDelete))
    throw new ConfigurationError(`\`onDelete\` of the reference \`${path}\` must be one of ${deleteActions.join(', ')}.`);
  if (exists === false && onDelete !== undefined)
    throw new ConfigurationError(
      `\`exists: false\` of the reference \`${path}\` contradicts its \`onDelete\`, which holds only for checked references.`,
    );
  if (typeof model === 'string' && model !== '' && isName && isPath && Object.keys(rest).length === 0) return ref as Reference;
  throw new ConfigurationError(
    `\`ref\` of \`${path}\` must be { model, as?, resource?, exists?, onDelete? }: the name of a model, the name under which an included record is added, the path of a resource, and what is required of the record.`,
  );
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
  if (field.key === '_id' && mayBeMissing) throw new ConfigurationError('`id` can be neither optional nor nullable.');
  if (field.key === '_id' && field.policy.update) throw new ConfigurationError('`id` never changes: `policy.update: true` contradicts it.');
  if (field.maintained === 'deletedAt') checkDeletedAt(field, path);
  else if (field.maintained && mayBeMissing)
    throw new ConfigurationError(`\`${path}\` is set by the service: it can be neither optional nor nullable.`);
  if (field.maintained === 'revision' && field.policy.private)
    throw new ConfigurationError(`The revision \`${path}\` cannot be private: every \`ETag\` shows it.`);
  if (field.maintained && isOpened) {
    throw new ConfigurationError(`\`${path}\` is set by the service: \`policy.insert\` and \`policy.update\` cannot open it.`);
  }
}

/**
 * Refuses markers that a time of deletion cannot have: the key is missing as long as the record lives, and only then.
 */
function checkDeletedAt({ optional, nullable, unique }: CompiledField, path: string): void {
  if (nullable || !optional)
    throw new ConfigurationError(`\`${path}\` is absent as long as the record lives, and never null: use \`t.deletedAt()\` alone.`);
  if (unique) throw new ConfigurationError(`\`${path}\` cannot be unique: several records may be deleted at the same time.`);
}

/** Refuses an `as` that is also the name of a field or of another relation: the included record would hide that. */
export function checkAliases(fields: readonly CompiledField[], parent: string): void {
  const names = new Set(fields.map((field) => field.name));
  for (const field of fields) {
    const as = relationSlot(field)?.ref.as;
    if (as === undefined) continue;
    if (names.has(as))
      throw new ConfigurationError(`\`as: '${as}'\` of \`${parent}${field.name}\` is already the name of a field or another \`as\`.`);
    names.add(as);
  }
}
