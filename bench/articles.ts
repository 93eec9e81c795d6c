import type { Request } from 'autocannon';
import { type Collection, type Db, type Filter, ObjectId } from 'mongodb';
import { caller } from './data.ts';

/** An article as it is stored: 700 bytes of JSON, most of it text, and no decimal, whose text takes JavaScript long. */
export interface StoredArticle {
  _id: ObjectId;
  title: string;
  text: string;
  author: string;
  category: string;
  tags: string[];
  views: number;
  isPublished: boolean;
  /** Whose it is. No client sees this field. */
  owner: string;
  createdAt: Date;
  updatedAt: Date;
}

const count = 10_000;
const categories = ['news', 'sport', 'science', 'travel', 'food'];
const begin = Date.UTC(2026, 0, 1);

function makeArticle(n: number): StoredArticle {
  const createdAt = new Date(begin + n * 60_000);
  return {
    _id: new ObjectId(`8${n.toString(16).padStart(23, '0')}`),
    title: `Article ${n}: what the market of ${n % 300} stalls sells`,
    text: `Every morning at ${n % 12}, “the bell” rings. `.repeat(9),
    author: `author-${n % 50}`,
    category: categories[n % categories.length] as string,
    tags: ['local', 'weekly', `part-${n % 7}`],
    views: (n * 7_919) % 100_000,
    isPublished: n % 4 > 0,
    owner: caller,
    createdAt,
    updatedAt: createdAt,
  };
}

/** Fills the collection, with the indexes that the lists need. */
export async function loadArticles(db: Db): Promise<void> {
  const articles = db.collection<StoredArticle>('articles');
  await articles.insertMany(Array.from({ length: count }, (_, n) => makeArticle(n)));
  await articles.createIndex({ owner: 1, author: 1, createdAt: -1, _id: -1 });
  await articles.createIndex({ owner: 1, category: 1, createdAt: -1, _id: -1 });
  await articles.createIndex({ owner: 1, createdAt: -1, _id: -1 });
}

/** A list with one of 200 filters, by equal values, sets of them and ranges, so that few requests are equal. */
export function makeArticleList(limit: number): Request {
  const n = Math.floor(200 * Math.random());
  const moment = (part: number) => new Date(begin + Math.floor(count * part) * 60_000).toISOString();
  const [first, second] = [categories[n % 5], categories[(n + 1 + (n % 3)) % 5]];
  const filters = [
    `author=author-${n % 50}&views[lt]=${90_000 - n * 100}`,
    `category=${first}&createdAt[gte]=${moment(n / 1_000)}`,
    `category[in]=${first},${second}&createdAt[lt]=${moment(0.7 + n / 1_000)}`,
    `createdAt[gte]=${moment(n / 1_000)}&createdAt[lt]=${moment(0.6 + n / 1_000)}&isPublished=true`,
  ];
  const path = encodeURI(`/api/articles?${filters[n % 4]}&sort=-createdAt&limit=${limit}`);
  return { method: 'GET', path, headers: { authorization: `Bearer ${caller}` } };
}

const known = new Set([
  'author',
  'category',
  'category[in]',
  'views[lt]',
  'isPublished',
  'createdAt[gte]',
  'createdAt[lt]',
  'sort',
  'limit',
]);

/** What careful people write by hand for this list. Throws for what it does not know. */
export async function listArticles(articles: Collection<StoredArticle>, owner: string, query: URLSearchParams): Promise<object> {
  const { filter, limit } = readQuery(query, owner);
  const options = { projection: { owner: 0 }, sort: { createdAt: -1, _id: -1 }, limit: limit + 1, maxTimeMS: 10_000 } as const;
  const found = await articles.find(filter, options).toArray();
  const hasNext = found.length > limit;
  if (hasNext) found.length = limit;
  const last = found.at(-1);
  const cursor = hasNext && last ? Buffer.from(JSON.stringify([last.createdAt, last._id])).toString('base64url') : null;
  const data = found.map(({ _id, ...article }) => ({ id: _id.toHexString(), ...article }));
  return { data, page: { size: limit, has_next: hasNext, next_cursor: cursor, prev_cursor: null } };
}

function readQuery(query: URLSearchParams, owner: string): { readonly filter: Filter<StoredArticle>; readonly limit: number } {
  const filter: Record<string, unknown> = { owner };
  for (const name of query.keys()) if (!known.has(name)) throw new Error(`unknown: ${name}`);
  for (const name of ['author', 'category']) if (query.has(name)) filter[name] = query.get(name);
  if (query.has('category[in]')) filter.category = { $in: query.get('category[in]')?.split(',') };
  if (query.has('isPublished')) filter.isPublished = query.get('isPublished') === 'true';
  if (query.has('views[lt]')) filter.views = { $lt: toInteger(query.get('views[lt]')) };
  const [since, until] = [query.get('createdAt[gte]'), query.get('createdAt[lt]')];
  if (since ?? until) filter.createdAt = { ...(since ? { $gte: toDate(since) } : {}), ...(until ? { $lt: toDate(until) } : {}) };
  if (query.get('sort') !== '-createdAt') throw new Error('cannot be sorted so');
  return { filter: filter as Filter<StoredArticle>, limit: Math.min(toInteger(query.get('limit')), 100) };
}

function toInteger(text: string | null): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new Error(`not a number: ${text}`);
  return number;
}

function toDate(text: string): Date {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) throw new Error(`not a date: ${text}`);
  return date;
}
