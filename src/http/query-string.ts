import { invalidQuery, type Problem } from '../errors.ts';
import { Invalid } from '../rules.ts';

/** No query of a list has more; each parameter costs a look-up. */
const MAX_PARAMETERS = 1000;

/**
 * One parameter of a query string, decoded: `total[gte]=5` has the name `total`, the operator `gte` and the value `5`.
 */
export interface QueryParameter {
  readonly name: string;
  readonly operator?: string;
  /**
   * Whether its key ends in `[]`, as axios and others write arrays: then the value is one item, and commas are part of
   * it.
   */
  readonly isItem?: true;
  /** The text; of a parameter in a body that is no text, `''`. */
  readonly value: string;
  /** The value in JSON, of a filter in a body. */
  readonly json?: unknown;
}

/** The items of a parameter: separated by commas, or the whole value if the key ends in `[]`. */
export function itemsOf({ isItem, value }: QueryParameter): string[] {
  return isItem ? [value] : value.split(',');
}

/** The key of a parameter, as the client wrote it: errors name it. */
export function keyOf({ name, operator, isItem }: QueryParameter): string {
  return `${name}${operator === undefined ? '' : `[${operator}]`}${isItem ? '[]' : ''}`;
}

/** Options of {@link parseQueryString}. */
export interface ParseQueryStringOptions {
  /** The parameters to read, by name and without operator. All others are ignored, even malformed ones. @default all */
  readonly only?: readonly string[];
}

/**
 * Parses a raw query string (without `?`) into its parameters, in order. The result is an array, because an object
 * would have keys that clients choose. The caller checks which names and operators exist.
 *
 * A key is `field`, `field[operator]` or `nested.field[operator]`, and may end in `[]`. `+` is a space, a parameter
 * without `=` has the value `''`, and empty segments (`a=1&&b=2`) do not count.
 *
 * Throws `invalid_query` (400) for any other use of brackets, for percent-encoding (RFC 3986 §2.1) that is malformed or
 * not UTF-8, for NUL characters, and for more than 1,000 parameters. Ignored parameters do not count.
 *
 * @example
 * parseQueryString('status=open&total[gte]=5')
 * // [{ name: 'status', value: 'open' }, { name: 'total', operator: 'gte', value: '5' }]
 */
export function parseQueryString(raw: string, { only }: ParseQueryStringOptions = {}): QueryParameter[] {
  const segments = splitSegments(raw);
  const keys = only && new Set<string | undefined>(only.flatMap((name) => [name, `${name}[]`]));
  const wanted = keys ? segments.filter((segment) => keys.has(nameOf(segment))) : segments;
  refuseTooMany(wanted.length, 'The query string');
  return wanted.map(parseSegment);
}

/** Whether a query string has a parameter of this name, whatever its value: whoever reads it refuses what is wrong. */
export function hasParameter(raw: string, name: string): boolean {
  return raw !== '' && splitSegments(raw).some((segment) => [name, `${name}[]`].includes(nameOf(segment) ?? ''));
}

/** Throws `invalid_query` (400) for more parameters than a query may have. */
export function refuseTooMany(count: number, subject: string): void {
  if (count <= MAX_PARAMETERS) return;
  const tooMany = new Invalid('too_many_parameters', `must have at most ${MAX_PARAMETERS} parameters`, { limit: MAX_PARAMETERS });
  throw invalidQuery([tooMany.at('')], `${subject} has too many parameters: ${MAX_PARAMETERS} are allowed.`);
}

/**
 * Returns a copy of a raw query string in which each of the parameters of `changed` occurs once, with its value, or not
 * at all if that is undefined. All other parameters keep their bytes, so that a `Link` to the next page repeats the
 * query of the client.
 *
 * @example
 * setQueryParameters('sort=-total&before=abc', { before: undefined, after: 'def' }) // 'sort=-total&after=def'
 */
export function setQueryParameters(raw: string, changed: Readonly<Record<string, string | undefined>>): string {
  const segments = splitSegments(raw).filter((segment) => !Object.hasOwn(changed, nameOf(segment) ?? ''));
  for (const [name, value] of Object.entries(changed))
    if (value !== undefined) segments.push(`${encodeURIComponent(name)}=${encodeURIComponent(value)}`);
  return segments.join('&');
}

function splitSegments(raw: string): string[] {
  return raw.split('&').filter((segment) => segment !== '');
}

/** The name of a segment, with its operator. Undefined if it is not percent-encoded UTF-8. */
function nameOf(segment: string): string | undefined {
  return decode(splitPair(segment).key);
}

function splitPair(segment: string): { key: string; value: string } {
  const equals = segment.indexOf('=');
  return equals === -1 ? { key: segment, value: '' } : { key: segment.slice(0, equals), value: segment.slice(equals + 1) };
}

function parseSegment(segment: string): QueryParameter {
  const pair = splitPair(segment);
  const key = decode(pair.key);
  const value = decode(pair.value);
  if (key === undefined || value === undefined) throw invalid(key ?? pair.key, notPercentEncoded);
  if (key.includes('\0') || value.includes('\0')) throw invalid(key, nulCharacter);
  const isName = key !== '' && !key.includes('[') && !key.includes(']'); // as most are
  return isName ? { name: key, value } : { value, ...parseKey(key) };
}

/** Takes the key of a parameter apart. Throws `invalid_query` (400) for one that is not of the form. */
export function parseKey(key: string): Omit<QueryParameter, 'value'> {
  const match = /^([^[\]]+)(?:\[([^[\]]+)\])?(\[\])?$/.exec(key);
  if (!match) throw invalid(key, notParameter);
  const [, name, operator, brackets] = match as unknown as readonly [string, name: string, operator?: string, brackets?: string];
  const parsed: { name: string; operator?: string; isItem?: true } = { name };
  if (operator !== undefined) parsed.operator = operator;
  if (brackets) parsed.isItem = true;
  return parsed;
}

function decode(text: string): string | undefined {
  if (!encoded.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

const encoded = /[%+]/;

const notPercentEncoded = new Invalid('percent_encoding', 'is not percent-encoded UTF-8');
export const nulCharacter = new Invalid('nul_character', 'has a NUL character');
export const notParameter = new Invalid('parameter_syntax', 'must have the form `field` or `field[operator]`');

export function invalid(key: string, found: Invalid): Problem {
  return invalidQuery([found.at(key)], `The query parameter \`${key}\` ${found.message}.`);
}
