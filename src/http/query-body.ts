import { invalidQuery } from '../errors.ts';
import { Invalid } from '../rules.ts';
import { JsonNumber } from './json-number.ts';
import { invalid, notParameter, nulCharacter, parseKey, type QueryParameter, refuseTooMany } from './query-string.ts';

const notObject = new Invalid('type', 'must be an object whose members are the parameters', { type: 'object' });
const notParameterValue = new Invalid('parameter_syntax', 'must be a text, a number, true, false, null, or an array of them');
const notUnicode = new Invalid('unicode', 'holds a lone surrogate');

/** The values of a parameter that is no filter. A `flag` is true, false, or a text that means something else. */
export type SettingKind = 'text' | 'texts' | 'number' | 'flag';

const refusals: Readonly<Record<SettingKind, Invalid>> = {
  text: new Invalid('type', 'must be a text', { type: 'string' }),
  texts: new Invalid('type', 'must be an array of texts', { type: 'array' }),
  number: new Invalid('type', 'must be a number', { type: 'number' }),
  flag: new Invalid('type', 'must be true, false or a text', { type: 'boolean' }),
};

/**
 * Reads the members of a JSON body as the parameters of a query: `{ "total[gte]": 5, "sort": ["-total", "id"] }` is
 * `total[gte]=5&sort=-total,id`. A parameter of `settings` has the JSON type of its kind; every other one is a filter,
 * and keeps its JSON value. An empty array of texts is no parameter.
 *
 * Throws `invalid_query` (400) for another type, and for what no query can say.
 */
export function parametersIn(body: unknown, settings: ReadonlyMap<string, SettingKind>): QueryParameter[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalidQuery([notObject.at('')]);
  const members = Object.entries(body) as [key: string, json: unknown][];
  refuseTooMany(
    members.reduce((count, [, json]) => count + (Array.isArray(json) ? json.length : 1), 0),
    'The body',
  );
  return members.flatMap(([key, json]) => {
    const parsed = parseKey(key);
    if (parsed.isItem) throw invalid(key, notParameter);
    for (const value of Array.isArray(json) ? json : [json]) checkValue(key, value);
    const kind = settings.get(key);
    return kind ? readSetting(key, json, kind) : [{ ...parsed, value: typeof json === 'string' ? json : '', json }];
  });
}

function checkValue(key: string, value: unknown): void {
  if (typeof value === 'object' && value !== null && !(value instanceof JsonNumber)) throw invalid(key, notParameterValue);
  if (typeof value !== 'string') return;
  if (value.includes('\0')) throw invalid(key, nulCharacter);
  if (!value.isWellFormed()) throw invalid(key, notUnicode);
}

/** Reads the JSON value of a parameter of this kind. Throws `invalid_query` (400) for another type. */
export function readSetting(name: string, json: unknown, kind: SettingKind): QueryParameter[] {
  const isText = typeof json === 'string';
  if (kind === 'texts' && Array.isArray(json) && json.every((one) => typeof one === 'string'))
    return json.map((value) => ({ name, isItem: true, value }));
  const isNumber = typeof json === 'number' || typeof json === 'bigint' || json instanceof JsonNumber;
  const isLegal = { text: isText, texts: false, number: isNumber, flag: typeof json === 'boolean' || (isText && !isFlagText(json)) };
  if (!isLegal[kind]) throw invalid(name, refusals[kind]);
  return [{ name, value: String(json) }];
}

/** A flag is written as JSON writes it. */
function isFlagText(text: string): boolean {
  return text === 'true' || text === 'false';
}
