import { ConfigurationError } from '../../errors.ts';

/** Refuses names that a step of a dotted path cannot have. */
export function checkName(name: string, path: string, parent: string): void {
  if (!isName(name)) {
    throw new ConfigurationError(
      `\`${path}\` is not a valid field name: it must not be empty, \`__proto__\` or \`_bsontype\`, begin with $, or hold a dot, a bracket or NUL.`,
    );
  }
  if (parent === '' && name === '_id') throw new ConfigurationError('A model declares its id as `id`; it is stored as `_id`.');
}

/** Whether a text can be a stored key and a step of a dotted path. */
function isName(text: string): boolean {
  return text !== '' && text !== '__proto__' && text !== '_bsontype' && !/^\$|[.\0[\]]/.test(text) && text.isWellFormed();
}

/** Reads `stored`, the key under which the database has a field: its name, unless the field says otherwise. */
export function readStoredKey(stored: unknown, name: string, path: string): string {
  if (stored === undefined) return path === 'id' ? '_id' : name;
  if (path === 'id') throw new ConfigurationError('`id` is stored as `_id`: it takes no `stored`.');
  if (stored === '_id' && path === name)
    throw new ConfigurationError(`\`${path}\` cannot be stored as \`_id\`: that is the key of the \`id\`.`);
  if (typeof stored === 'string' && isName(stored)) return stored;
  throw new ConfigurationError(
    `\`stored\` of \`${path}\` must be one key, which is neither empty, \`__proto__\` nor \`_bsontype\`, does not begin with $, and holds no dot, bracket or NUL: for a key in an embedded object, describe that with \`t.object\`.`,
  );
}
