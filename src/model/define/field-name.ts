import { ConfigurationError } from '../../errors.ts';

/** Refuses names that a stored field or a step of a dotted path cannot have. */
export function checkName(name: string, path: string, parent: string): void {
  if (name === '' || name === '__proto__' || name === '_bsontype' || /^\$|[.\0[\]]/.test(name) || !name.isWellFormed()) {
    throw new ConfigurationError(
      `\`${path}\` is not a valid field name: it must not be empty, \`__proto__\` or \`_bsontype\`, begin with $, or hold a dot, a bracket or NUL.`,
    );
  }
  if (parent === '' && name === '_id') throw new ConfigurationError('A model declares its id as `id`; it is stored as `_id`.');
}
