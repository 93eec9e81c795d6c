/** Characters that would do something in a terminal or end a line. */
const active = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text as a literal of TypeScript, in one line. */
export function quote(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inner.replace(active, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`)}'`;
}

/** The words of a key, in lower case: `createdAt`, `created_at` and `Created At` have the same. */
export function wordsOf(key: string): string[] {
  const parted = key.replace(/(\p{Ll}|\p{Nd})(?=\p{Lu})/gu, '$1 ').replace(/(\p{Lu})(?=\p{Lu}\p{Ll})/gu, '$1 ');
  return parted
    .split(/[^\p{L}\p{Mn}\p{Mc}\p{Nd}]+/u) // what an identifier may have
    .filter(Boolean)
    .map((word) => word.toLowerCase());
}

/** The name of a field for a stored key. A key in camelCase is its own. */
export function fieldNameOf(key: string): string {
  if (/^[a-z][A-Za-z0-9]*$/.test(key)) return key;
  const [first = 'key', ...rest] = wordsOf(key);
  const name = [first, ...rest.map(capitalize)].join('');
  return /^\p{L}/u.test(name) ? name : `key${name}`;
}

/** Gives each key a name of its own. Keys that are names keep them. */
export function nameKeys(keys: readonly string[], reserved: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set(reserved);
  const isOwn = (key: string) => fieldNameOf(key) === key;
  for (const key of [...keys.filter(isOwn), ...keys.filter((key) => !isOwn(key))]) {
    const wanted = fieldNameOf(key);
    let name = wanted;
    for (let number = 2; taken.has(name); number++) name = `${wanted}${number}`;
    taken.add(name);
    names.set(key, name);
  }
  return names;
}

/** The name of a schema, such as `ShipTo` for `ship_to`: OpenAPI takes ASCII only. */
export function schemaNameOf(key: string): string {
  const name = wordsOf(key.replace(/[^\x20-\x7e]/g, ' '))
    .map(capitalize)
    .join('');
  return /^[A-Z]/.test(name) ? name : `Record${name}`;
}

/** A word for one of what a plural names, as far as endings tell. */
export function singular(word: string): string {
  if (/(?:us|is|ss|series)$/i.test(word)) return word;
  if (/ies$/i.test(word) && !/(?:mov|cook|zomb)ies$/i.test(word)) return `${word.slice(0, -3)}y`;
  if (/(?:ss|x|ch|sh)es$/i.test(word)) return word.slice(0, -2);
  return word.replace(/s$/i, '');
}

function capitalize(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
