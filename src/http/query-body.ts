import { invalidQuery } from '../errors.ts';
import { Invalid } from '../rules.ts';
import { JsonNumber } from './json-number.ts';
import { invalid, nulCharacter, parseKey, type QueryParameter, refuseTooMany } from './query-string.ts';

const notObject = new Invalid('type', 'must be an object whose members are the parameters', { type: 'object' });
const notParameterValue = new Invalid('parameter_syntax', 'must be a text, a number, true, false, null, or an array of them');
const notUnicode = new Invalid('unicode', 'holds a lone surrogate');

/**
 * Reads the members of a JSON body as the parameters of a query string: `{ "total[gte]": 5, "sort": ["-total", "id"] }`
 * is `total[gte]=5&sort=-total,id`. A number keeps its digits, and the items of an array their commas. An empty array
 * is an empty value; as one of the parameters in `addingUp` it is none.
 *
 * Throws `invalid_query` (400) for what no query string can say.
 */
export function parametersIn(body: unknown, addingUp: ReadonlySet<string>): QueryParameter[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalidQuery([notObject.at('')]);
  const parameters = Object.entries(body).flatMap(([key, value]) => parametersOf(key, value, addingUp));
  refuseTooMany(parameters.length, 'The body');
  return parameters;
}

function parametersOf(key: string, value: unknown, addingUp: ReadonlySet<string>): QueryParameter[] {
  const parsed = parseKey(key);
  if (!Array.isArray(value)) return [{ ...parsed, value: textOf(key, value) }];
  if (value.length === 0) return addingUp.has(key) ? [] : [{ ...parsed, value: '' }];
  return value.map((item) => ({ ...parsed, isItem: true, value: textOf(key, item) }));
}

function textOf(key: string, value: unknown): string {
  if (typeof value === 'object' && value !== null && !(value instanceof JsonNumber)) throw invalid(key, notParameterValue);
  const text = String(value);
  if (text.includes('\0')) throw invalid(key, nulCharacter);
  if (!text.isWellFormed()) throw invalid(key, notUnicode);
  return text;
}
