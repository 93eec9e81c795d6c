import { Ajv, type ValidateFunction } from 'ajv';
import formats from 'ajv-formats';
import { type Collection, Decimal128, type Filter, type FindOptions, MongoServerError, ObjectId, type Sort } from 'mongodb';
import type { StoredOrder } from '../data.ts';

/**
 * What careful people write by hand for this one collection, shared by the contestants that differ in their framework
 * only: a schema of Ajv for each body, the owner in every query, a projection without what is private, revisions as
 * ETags, pages by key.
 */

const maxTimeMS = 10_000;
const projection = { owner: 0 };

const ajv = new Ajv({ allErrors: true });
formats.default(ajv);

const decimal = { type: 'string', pattern: '^-?\\d{1,30}(\\.\\d{1,10})?$' };
const objectId = { type: 'string', pattern: '^[0-9a-f]{24}$' };
const properties = {
  number: { type: 'string', minLength: 1, maxLength: 40 },
  customerId: objectId,
  status: { enum: ['open', 'paid', 'sent'] },
  total: decimal,
  paid: { type: 'boolean' },
  note: { type: 'string', maxLength: 1_000 },
  shipTo: {
    type: 'object',
    properties: {
      street: { type: 'string' },
      city: { type: 'string' },
      zip: { type: 'string' },
      country: { type: 'string', minLength: 2, maxLength: 2 },
    },
    required: ['street', 'city', 'zip', 'country'],
    additionalProperties: false,
  },
  lines: {
    type: 'array',
    maxItems: 1_000,
    items: {
      type: 'object',
      properties: { sku: { type: 'string' }, name: { type: 'string' }, quantity: { type: 'integer', minimum: 1 }, price: decimal },
      required: ['sku', 'name', 'quantity', 'price'],
      additionalProperties: false,
    },
  },
  tags: { type: 'array', items: { type: 'string' }, maxItems: 20 },
};
const required = ['number', 'customerId', 'status', 'total', 'paid', 'shipTo', 'lines', 'tags'];

export const createSchema = { type: 'object', properties, required, additionalProperties: false } as const;
export const patchSchema = { type: 'object', properties, additionalProperties: false } as const;
const isCreate = ajv.compile(createSchema);
const isPatch = ajv.compile(patchSchema);

/** What an answer is made of, whatever the framework. */
export interface Answer {
  readonly status: number;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Refusal extends Error {
  readonly answer: Answer;
  constructor(status: number, title: string, more: object = {}) {
    super(title);
    this.answer = { status, body: { type: 'about:blank', status, title, ...more } };
  }
}

/** The user of a request: here the token is their name. */
export function authenticate(authorization: string | undefined): string {
  if (!authorization?.startsWith('Bearer ')) throw new Refusal(401, 'Unauthorized');
  return authorization.slice(7);
}

/** Runs an operation; what it refuses, and what fails, is an answer too. */
export async function answer(run: () => Promise<Answer>): Promise<Answer> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof Refusal) return error.answer;
    if (error instanceof MongoServerError && error.code === 11000) return new Refusal(409, 'Conflict').answer;
    return new Refusal(500, 'Internal Server Error').answer;
  }
}

export async function getOrder(orders: Collection<StoredOrder>, owner: string, id: string, ifNoneMatch?: string): Promise<Answer> {
  const order = await orders.findOne({ _id: toId(id), owner }, { projection, maxTimeMS });
  if (!order) throw new Refusal(404, 'Not Found');
  const etag = etagOf(order);
  if (ifNoneMatch === etag) return { status: 304, headers: { ETag: etag } };
  return { status: 200, body: { data: toJson(order) }, headers: { ETag: etag } };
}

export async function listOrders(orders: Collection<StoredOrder>, owner: string, query: URLSearchParams): Promise<Answer> {
  const { filter, sort, key, direction, limit } = readQuery(query, owner);
  const options: FindOptions = { projection, sort, limit: limit + 1, maxTimeMS };
  const found = await orders.find(filter, options).toArray();
  const hasNext = found.length > limit;
  const page = hasNext ? found.slice(0, limit) : found;
  const last = page.at(-1);
  return {
    status: 200,
    body: {
      data: page.map(toJson),
      page: {
        size: limit,
        has_next: hasNext,
        next_cursor: hasNext && last ? writeCursor(last, key, direction) : null,
        prev_cursor: query.has('after') && page[0] ? writeCursor(page[0], key, direction) : null,
      },
    },
  };
}

export async function createOrder(orders: Collection<StoredOrder>, owner: string, body: unknown): Promise<Answer> {
  check(isCreate, body);
  const now = new Date();
  const order = { _id: new ObjectId(), ...toStored(body as Members), owner, revision: 0, createdAt: now, updatedAt: now } as StoredOrder;
  await orders.insertOne(order, { maxTimeMS });
  return {
    status: 201,
    body: { data: toJson(order) },
    headers: { ETag: etagOf(order), Location: `/api/orders/${order._id.toHexString()}` },
  };
}

export async function patchOrder(
  orders: Collection<StoredOrder>,
  owner: string,
  id: string,
  body: unknown,
  ifMatch?: string,
): Promise<Answer> {
  check(isPatch, body);
  const _id = toId(id);
  const revision = ifMatch === undefined ? {} : { revision: Number(ifMatch.slice(1, -1)) };
  const order = await orders.findOneAndUpdate(
    { _id, owner, ...revision },
    { $set: { ...toStored(body as Members), updatedAt: new Date() }, $inc: { revision: 1 } },
    { projection, returnDocument: 'after', maxTimeMS },
  );
  if (!order) throw (await orders.findOne({ _id, owner })) ? new Refusal(412, 'Precondition Failed') : new Refusal(404, 'Not Found');
  return { status: 200, body: { data: toJson(order) }, headers: { ETag: etagOf(order) } };
}

type Members = Record<string, unknown>;

function check(isValid: ValidateFunction, body: unknown): void {
  if (!isValid(body)) throw new Refusal(422, 'Unprocessable Content', { errors: isValid.errors });
}

function toId(text: string): ObjectId {
  if (!/^[0-9a-f]{24}$/.test(text)) throw new Refusal(404, 'Not Found');
  return new ObjectId(text);
}

function etagOf({ revision }: StoredOrder): string {
  return `"${revision}"`;
}

function toJson({ _id, customerId, total, lines, ...rest }: StoredOrder): object {
  return {
    id: _id.toHexString(),
    ...rest,
    customerId: customerId.toHexString(),
    total: total.toString(),
    lines: lines.map((line) => ({ ...line, price: line.price.toString() })),
  };
}

function toStored({ customerId, total, lines, ...rest }: Members): Members {
  return {
    ...rest,
    ...(typeof customerId === 'string' ? { customerId: new ObjectId(customerId) } : {}),
    ...(typeof total === 'string' ? { total: Decimal128.fromString(total) } : {}),
    ...(Array.isArray(lines)
      ? { lines: lines.map((line: { price: string }) => ({ ...line, price: Decimal128.fromString(line.price) })) }
      : {}),
  };
}

interface ListQuery {
  readonly filter: Filter<StoredOrder>;
  readonly sort: Sort;
  readonly key: 'createdAt' | 'number';
  readonly direction: 1 | -1;
  readonly limit: number;
}

const known = new Set(['status', 'status[in]', 'customerId', 'createdAt[gte]', 'createdAt[lt]', 'sort', 'limit', 'after']);

function readQuery(query: URLSearchParams, owner: string): ListQuery {
  const filter: Members = { owner };
  for (const name of query.keys()) if (!known.has(name)) throw new Refusal(400, 'Bad Request', { detail: `unknown: ${name}` });
  if (query.has('status')) filter.status = query.get('status');
  if (query.has('status[in]')) filter.status = { $in: query.get('status[in]')?.split(',') };
  if (query.has('customerId')) filter.customerId = toId(query.get('customerId') as string);
  const since = query.get('createdAt[gte]');
  const until = query.get('createdAt[lt]');
  if (since ?? until) filter.createdAt = { ...(since ? { $gte: toDate(since) } : {}), ...(until ? { $lt: toDate(until) } : {}) };
  const text = query.get('sort') ?? '-createdAt';
  const direction = text.startsWith('-') ? -1 : 1;
  const key = text.replace('-', '');
  if (key !== 'createdAt' && key !== 'number') throw new Refusal(400, 'Bad Request', { detail: `cannot be sorted by: ${key}` });
  const limit = Math.min(Number(query.get('limit') ?? 20), 100);
  if (!Number.isInteger(limit) || limit < 1) throw new Refusal(400, 'Bad Request', { detail: 'limit' });
  const after = query.get('after');
  if (after) Object.assign(filter, readCursor(after, key, direction));
  return { filter: filter as Filter<StoredOrder>, sort: { [key]: direction, _id: direction }, key, direction, limit };
}

function toDate(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new Refusal(400, 'Bad Request', { detail: `not a date: ${text}` });
  return date;
}

function writeCursor(order: StoredOrder, key: 'createdAt' | 'number', direction: number): string {
  return Buffer.from(JSON.stringify([direction, order[key], order._id])).toString('base64url');
}

function readCursor(text: string, key: string, direction: number): object {
  try {
    const [of, value, id] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [number, string, string];
    if (of !== direction) throw new Error('made for another order');
    const from = key === 'createdAt' ? toDate(value) : value;
    const operator = direction === 1 ? '$gt' : '$lt';
    return { $or: [{ [key]: { [operator]: from } }, { [key]: from, _id: { [operator]: new ObjectId(id) } }] };
  } catch {
    throw new Refusal(400, 'Bad Request', { detail: 'not a cursor' });
  }
}
