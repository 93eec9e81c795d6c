import { type Api, cursorPaging, defineModel, offsetPaging, service, t } from '../../../src/index.ts';
import type { TestDatabase } from '../../support/database/database.ts';

const Maker = t.object('Maker', {
  name: t.string({ minLength: 2 }),
  city: t.optional(t.string()),
  checkedBy: t.optional(t.string({ policy: { update: false } })),
});
const Part = t.object('Part', { name: t.string({ minLength: 2 }), weight: t.int64() });

const operators = ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte', 'exists', 'prefix', 'contains'] as const;
const filterable = { policy: { filter: true, sort: true } } as const;

/** One article of each kind of value. */
const Article = defineModel('Article', {
  collection: 'articles',
  fields: {
    id: t.objectId(filterable),
    name: t.string({ policy: { filter: operators, sort: true }, unique: true }),
    views: t.int64({ default: 0n, ...filterable }),
    price: t.nullable(t.decimal(filterable)),
    due: t.optional(t.date(filterable)),
    tags: t.array(t.string(), { default: [], policy: { filter: true } }),
    labels: t.map(t.nullable(t.string()), { default: {} }),
    parts: t.array(Part, { default: [] }),
    maker: t.nullable(Maker),
    more: t.nullable(t.any()),
    old_lt: t.optional(t.string({ policy: { filter: ['eq'] } })),
    version: t.revision(),
  },
});

/** Without a revision, and without a filter by id. */
const Tag = defineModel('Tag', { collection: 'tags', fields: { name: t.string() } });

/** Articles by cursor, by number, and with replaced objects; and tags. */
export function createArticles({ db }: TestDatabase): Api {
  const shop = service();
  const resource = { model: Article, ops: ['list', 'get', 'create', 'patch', 'delete'] } as const;
  return shop.api({
    db,
    prefix: '/api',
    resources: [
      shop.resource({ ...resource, path: 'articles', paging: cursorPaging({ max: 5, total: true }) }),
      shop.resource({ ...resource, path: 'numbered', paging: offsetPaging({ max: 5, total: true }) }),
      shop.resource({ ...resource, path: 'replaced', mergePatch: false, preconditionRequired: true }),
      shop.resource({ model: Tag }),
    ],
  });
}

/** A `fetch` that keeps what was sent. */
export function recordingFetch() {
  const sent: { method: string; path: string; query: Record<string, string>; headers: Headers; body: string | undefined }[] = [];
  const recording: typeof fetch = (input, init) => {
    const { pathname, searchParams } = new URL(String(input));
    sent.push({
      method: init?.method ?? 'GET',
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: new Headers(init?.headers),
      body: init?.body as string | undefined,
    });
    return fetch(input, init);
  };
  return { fetch: recording, sent, last: () => sent.at(-1) };
}
