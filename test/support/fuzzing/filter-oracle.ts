/** Chooses among values. */
export interface Random {
  pick<Value>(from: readonly Value[]): Value;
}

/** A stored record of the oracle: plain values, of which dates are texts. */
export type Doc = Readonly<Record<string, unknown>>;

/** A condition, independently of `src/`. */
export type Asked =
  | { readonly is: 'compare'; readonly path: string; readonly operator: string; readonly value: unknown }
  | { readonly is: 'in'; readonly path: string; readonly values: readonly unknown[] }
  | { readonly is: 'prefix' | 'contains'; readonly path: string; readonly text: string }
  | { readonly is: 'exists'; readonly path: string }
  | { readonly is: 'and' | 'or'; readonly of: readonly Asked[] }
  | { readonly is: 'not'; readonly of: Asked }
  | { readonly is: 'any' | 'none'; readonly path: string; readonly of: Asked | undefined }
  | { readonly is: 'count'; readonly path: string; readonly of: Asked | undefined; readonly sign: string; readonly number: number };

/** What a path leads to, if it is a relation: the records that its caller may see. */
export type Related = (path: string, doc: Doc) => readonly Doc[] | undefined;

/** Whether a record fulfils a condition, as `docs/reference/filter.md` says it. */
export function fulfils(doc: Doc, asked: Asked, related: Related): boolean {
  switch (asked.is) {
    case 'and':
      return asked.of.every((one) => fulfils(doc, one, related));
    case 'or':
      return asked.of.some((one) => fulfils(doc, one, related));
    case 'not':
      return !fulfils(doc, asked.of, related);
    case 'any':
    case 'none':
      return (asked.is === 'any') === hasAny(doc, asked.path, asked.of, related);
    case 'count':
      return compareNumbers(itemsOf(doc, asked.path, asked.of, related), asked.sign, asked.number);
    default:
      return reach(doc, asked.path, related, (values) => matches(values, asked));
  }
}

function hasAny(doc: Doc, path: string, asked: Asked | undefined, related: Related): boolean {
  return itemsOf(doc, path, asked, related) > 0;
}

/** How many items, or related records, fulfil it. An item that is a value has the name `item`. */
function itemsOf(doc: Doc, path: string, asked: Asked | undefined, related: Related): number {
  const items = related(path, doc) ?? ((doc[path] ?? []) as readonly unknown[]);
  const docs = items.map((one) => (typeof one === 'object' ? (one as Doc) : { item: one }));
  return docs.filter((item) => asked === undefined || fulfils(item, asked, related)).length;
}

function compareNumbers(found: number, sign: string, number: number): boolean {
  if (sign === '=' || sign === '!=') return (found === number) === (sign === '=');
  return isOrdered(found, sign, number);
}

/** Follows a dotted path: a relation on the way asks for a record that it leads to. */
function reach(doc: Doc, path: string, related: Related, test: (values: readonly unknown[]) => boolean): boolean {
  const [first = '', ...rest] = path.split('.');
  const found = rest.length > 0 ? related(first, doc) : undefined;
  if (found) return found.some((one) => reach(one, rest.join('.'), related, test));
  return test(valuesAt(doc, path.split('.')));
}

/** The values at a path: undefined where it is missing, and the items of an array. */
function valuesAt(value: unknown, [key, ...rest]: readonly string[]): unknown[] {
  if (key === undefined) return Array.isArray(value) ? value : [value];
  if (Array.isArray(value)) return value.flatMap((item) => valuesAt(item, [key, ...rest]));
  if (typeof value !== 'object' || value === null) return [undefined];
  return valuesAt((value as Doc)[key], rest);
}

function matches(values: readonly unknown[], asked: Extract<Asked, { readonly path: string }>): boolean {
  const some = (test: (value: unknown) => boolean) => values.some(test);
  switch (asked.is) {
    case 'in':
      return asked.values.some((one) => some((value) => isEqual(value, one)));
    case 'prefix':
      return asked.text === '' || some((value) => typeof value === 'string' && value.startsWith(asked.text));
    case 'contains':
      return some((value) => typeof value === 'string' && value.includes(asked.text));
    case 'exists':
      return some((value) => value !== undefined);
    case 'compare':
      if (asked.operator === '!=') return !some((value) => isEqual(value, asked.value));
      if (asked.operator === '=') return some((value) => isEqual(value, asked.value));
      return some((value) => isOrdered(value, asked.operator, asked.value));
    default:
      throw new Error('is no condition on values');
  }
}

function isEqual(value: unknown, other: unknown): boolean {
  return (value ?? null) === other;
}

function isOrdered(value: unknown, operator: string, other: unknown): boolean {
  if (typeof value !== typeof other) return false;
  const [a, b] = [value, other] as [number, number];
  return operator === '<' ? a < b : operator === '<=' ? a <= b : operator === '>' ? a > b : a >= b;
}

/** Writes a condition in one of its spellings. */
export function spell(asked: Asked, random: Random): string {
  const gap = () => random.pick(['', ' ', '  ', '\n']);
  const literal = (value: unknown) => (typeof value === 'number' && random.pick([true, false]) ? `"${value}"` : JSON.stringify(value));
  const wrapped = (text: string) => (random.pick([true, false, false]) ? `(${gap()}${text}${gap()})` : text);
  const term = (one: Asked): string =>
    one.is === 'and' || one.is === 'or' ? `(${gap()}${spell(one, random)}${gap()})` : spell(one, random);
  switch (asked.is) {
    case 'and':
    case 'or':
      return asked.of.map(term).join(` ${asked.is.toUpperCase()} `);
    case 'not':
      return `NOT ${asked.of.is === 'not' ? `(${spell(asked.of, random)})` : term(asked.of)}`;
    case 'any':
    case 'none':
      return `${asked.is}${gap()}(${gap()}${asked.path}${gap()}${asked.of ? `,${gap()}${spell(asked.of, random)}` : ''})`;
    case 'count':
      return `count(${asked.path}${asked.of ? `, ${spell(asked.of, random)}` : ''})${gap()}${asked.sign}${gap()}${asked.number}`;
    case 'compare':
      return wrapped(`${asked.path}${gap()}${asked.operator}${gap()}${literal(asked.value)}`);
    case 'in':
      return `${asked.path} IN${gap()}(${asked.values.map(literal).join(`${gap()},${gap()}`)})`;
    case 'prefix':
    case 'contains':
      return `${asked.is}(${asked.path}${gap()},${gap()}${JSON.stringify(asked.text)})`;
    default:
      return wrapped(`exists(${gap()}${asked.path}${gap()})`);
  }
}
