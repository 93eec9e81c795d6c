import { ConfigurationError } from '../../errors.ts';
import { type CompiledField, deleteActions, type Reference, relationSlot } from '../node.ts';

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
