import { maxHeaderSize } from 'node:http';
import { didYouMean, listNames } from '../../hints.ts';
import { defaultDepth, JsonNumber, parseJson, stringifyJson } from '../../http/json.ts';
import type { Schema } from '../../openapi/document.ts';
import type { CallHeaders } from './options.ts';
import { type Argument, type Tool, ToolError } from './tool.ts';

/** The arguments of a call, as the client has sent them. */
export type Arguments = Readonly<Record<string, unknown>>;

/** No server has this name: the request stays in the process. */
const origin = 'http://in-process';

/**
 * Makes the request of a call. Throws a {@link ToolError} for arguments that cannot be sent. The api judges their
 * meaning. The path is always one of the tool's own operation: no argument leads to another one.
 */
export function buildRequest(tool: Tool, given: Arguments, headers: CallHeaders, signal: AbortSignal): Request {
  const sent = Object.entries(given).filter(([, value]) => value !== undefined);
  checkNames(tool, sent);
  const path = tool.path.replaceAll(/\{(\w+)\}/g, (_match, name: string) => readSegment(tool, given, name));
  const query = new URLSearchParams();
  const allHeaders = new Headers(headers);
  allHeaders.delete('accept'); // a tool answers JSON, and not the export of its list
  let body: string | undefined;
  for (const [name, value] of sent) {
    const argument = tool.inputs.get(name) as Argument;
    if (argument.in === 'query') for (const [key, text] of toQuery(tool, name, value)) query.append(key, text);
    if (argument.in === 'header') allHeaders.set(argument.name, toHeader(name, value));
    if (argument.in === 'body') body = toBody(argument, value);
  }
  if (body !== undefined) allHeaders.set('content-type', 'application/json');
  const url = new URL(`${origin}${path}${query.size > 0 ? `?${query}` : ''}`);
  // In the process nothing else limits it: a server of Node would refuse the head of such a request.
  if (url.href.length > maxHeaderSize)
    throw new ToolError(`The filters are too long: together they may have about ${maxHeaderSize} characters.`);
  if (url.pathname !== path || !tool.isOwnPath(path)) throw new ToolError('The path of the record cannot be made of these arguments.');
  return new Request(url, { method: tool.method, headers: allHeaders, signal, ...(body === undefined ? {} : { body }) });
}

function checkNames({ inputs }: Tool, sent: readonly (readonly [string, unknown])[]): void {
  const unknown = sent.filter(([name]) => !inputs.has(name)).map(([name]) => name);
  const [first] = unknown;
  if (first !== undefined) {
    const legal = inputs.size > 0 ? `The arguments are ${[...inputs.keys()].join(', ')}.` : 'The tool takes no arguments.';
    const hint = misplaced(inputs, unknown) ?? didYouMean(first, inputs.keys(), '.');
    throw new ToolError(`There is no argument ${listNames(unknown.map(quote))}${hint} ${legal}`);
  }
  const empty = sent.find(([name, value]) => value === null && inputs.get(name)?.in !== 'body');
  if (empty) throw new ToolError(`\`${empty[0]}\` must not be null: leave it out${nullHint(inputs.get(empty[0]))}.`);
  const missing = [...inputs].filter(([name, { required }]) => required && !sent.some(([one]) => one === name));
  if (missing.length > 0) throw new ToolError(`These arguments are required: ${missing.map(([name]) => quote(name)).join(', ')}.`);
}

/** The message about fields that belong into the body. */
function misplaced(inputs: Tool['inputs'], unknown: readonly string[]): string | undefined {
  const fields = (inputs.get('body')?.schema.properties ?? {}) as object;
  return unknown.every((name) => Object.hasOwn(fields, name)) ? ': send the fields of the record in `body`.' : undefined;
}

function quote(name: string): string {
  return `\`${name.slice(0, 64)}\``;
}

function nullHint(argument: Argument | undefined): string {
  return stringifyJson(argument?.schema).includes('"null"') ? ', or send the text "null" to look for records without a value' : '';
}

/** A segment that a URL would drop (RFC 3986 §5.2.4), or an empty one, would lead to another operation. */
function readSegment({ inputs }: Tool, given: Arguments, name: string): string {
  const [argument = name] = [...inputs].find(([, input]) => input.in === 'path' && input.name === name) ?? [];
  const text = toText(argument, given[argument]);
  if (text === '' || text === '.' || text === '..') throw new ToolError(`\`${argument}\` must be the id of a record.`);
  if (!text.isWellFormed()) throw new ToolError(`\`${argument}\` is not valid Unicode.`);
  return encodeURIComponent(text);
}

function toQuery({ inputs }: Tool, argument: string, value: unknown): (readonly [string, string])[] {
  const { name, schema, isOwn } = inputs.get(argument) as Argument;
  if (!Array.isArray(value)) return [[name, toText(argument, value)]];
  if (schema.type !== 'array') {
    const several = inputs.has(`${argument}_in`) ? `: for several, there is \`${argument}_in\`` : '';
    throw new ToolError(`\`${argument}\` takes one value, and not a list${several}.`);
  }
  const texts = value.map((item) => toText(argument, item));
  const areValues = isOwn || name.endsWith(']');
  if (texts.length === 0) return areValues ? [[name, '']] : [];
  return areValues ? texts.map((text) => [`${name}[]`, text]) : [[name, texts.join(',')]]; // names of fields have no commas
}

function toText(argument: string, value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint' || value instanceof JsonNumber) return String(value);
  if (typeof value === 'number') return String(toExact(value, { type: 'integer' }, argument));
  throw new ToolError(`\`${argument}\` must be a single value.`);
}

/** A revision becomes an entity tag. The other header is a text without spaces. */
function toHeader(argument: string, value: unknown): string {
  const text = toText(argument, value).replaceAll('"', '');
  if (argument === 'if_match') {
    if (text !== '*' && !/^\d+$/.test(text)) throw new ToolError('`if_match` must be the `revision` of the record, such as 3.');
    return text === '*' ? text : `"${text}"`;
  }
  if (!/^[!#-[\]-~]{1,255}$/.test(text)) throw new ToolError(`\`${argument}\` must have 1 to 255 ASCII characters without spaces.`);
  return text;
}

/** Some clients send an object as its JSON text. */
function toBody({ schema }: Argument, value: unknown): string {
  const body = typeof value === 'string' && schema.type === 'object' ? parseText(value) : value;
  return stringifyJson(toExact(body, schema, 'body'));
}

function parseText(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new ToolError('`body` must be an object, and not a string.');
  }
}

/**
 * Copies a value so that no integer is changed without notice. The SDK's transports parse JSON with numbers of double
 * precision: an integer beyond 2^53 has been rounded already, and is refused. Where the schema has an integer, its
 * digits as text are taken instead.
 */
function toExact(value: unknown, schema: Schema, path: string, depth = 0): unknown {
  if (depth > defaultDepth) throw new ToolError(`\`${path.slice(0, 64)}\` is nested too deeply.`);
  if (typeof value === 'number') return checkNumber(value, path);
  if (typeof value === 'string') return isLongInteger(value) && takesInteger(schema) ? BigInt(value) : value;
  if (typeof value !== 'object' || value === null || value instanceof JsonNumber) return value;
  if (Array.isArray(value)) return value.map((item, index) => toExact(item, partOf(schema, 'items'), `${path}.${index}`, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, toExact(one, memberOf(schema, key), `${path}.${key}`, depth + 1)]),
  );
}

const maxInt64 = 2 ** 63;

function checkNumber(value: number, path: string): number {
  const isRounded = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) <= maxInt64;
  if (!isRounded) return value;
  throw new ToolError(
    `\`${path.slice(0, 64)}\` is an integer beyond 9007199254740991, which JSON numbers round here: send its digits as text.`,
  );
}

function isLongInteger(text: string): boolean {
  return /^-?\d{16,19}$/.test(text) && !Number.isSafeInteger(Number(text));
}

function takesInteger({ type, anyOf }: Schema): boolean {
  return type === 'integer' || (Array.isArray(anyOf) && anyOf.some(takesInteger));
}

function memberOf(schema: Schema, key: string): Schema {
  for (const one of alternativesOf(schema)) {
    const properties = partOf(one, 'properties');
    if (Object.hasOwn(properties, key)) return properties[key] as Schema;
  }
  return partOf(schema, 'additionalProperties');
}

function partOf(schema: Schema, keyword: string): Schema {
  const holder = alternativesOf(schema).find((one) => one[keyword] !== undefined);
  return (holder?.[keyword] ?? {}) as Schema;
}

function alternativesOf(schema: Schema): readonly Schema[] {
  return Array.isArray(schema.anyOf) ? (schema.anyOf as readonly Schema[]) : [schema];
}
