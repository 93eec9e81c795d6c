import {
  type ApiOptions,
  applyIndexes,
  cursorPaging,
  defineModel,
  everything,
  offsetPaging,
  type RequestContext,
  service,
  t,
} from '../../../src/index.ts';
import type { TestDatabase } from '../../support/database/database.ts';
import { type Answer, type TestServer, useServer } from '../../support/http/serve.ts';

const Tag = defineModel('Tag', {
  collection: 'tags',
  fields: { id: t.string(), name: t.string({ policy: { filter: true, sort: true } }) },
});

/** Texts of several kinds, of which only staff may read the remark. `language` has no meaning to the library. */
const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    id: t.string({ policy: { insert: true, filter: true, sort: true } }),
    tenant: t.string({ policy: { filter: true } }),
    title: t.string({ policy: { filter: true, sort: true } }),
    tags: t.array(t.string(), { default: [] }),
    place: t.optional(t.object('Place', { text: t.string() })),
    lines: t.array(t.object('Line', { text: t.string() }), { default: [] }),
    size: t.int({ default: 0, policy: { filter: true, sort: true, group: true, aggregate: true } }),
    language: t.optional(t.string()),
    tag: t.nullable(t.ref('Tag', { id: t.string() })),
    notebook: t.nullable(t.ref('Notebook', { id: t.string() })),
    q: t.optional(t.string({ policy: { filter: ['prefix'] } })),
    deletedAt: t.deletedAt(),
    revision: t.revision(),
  },
  search: { fields: { title: 10, tags: 5, 'place.text': 1, 'lines.text': 1 }, scopeFields: ['tenant'] },
});

const Notebook = defineModel('Notebook', {
  collection: 'notebooks',
  fields: { id: t.string(), notes: t.hasMany('Note', { via: 'notebook' }) },
});

const ofTenant = (ctx: RequestContext<string>) => {
  const name = ctx.requirePrincipal();
  if (name === 'admin') return everything;
  if (name === 'both') return { tenant: { in: ['ann', 'ben'] } };
  if (name === 'one') return { tenant: { in: ['ann'] } };
  return name === 'narrow' ? { size: { gte: 2 }, tenant: 'ann' } : { tenant: name };
};

/** Serves notes by cursor, by number, and below notebooks. The principal is the tenant. */
export function useNotes(database: TestDatabase, options: Partial<ApiOptions<unknown>> = {}) {
  const serve = useServer();
  let server: TestServer;
  const shop = service<string>({ authenticate: (ctx) => ctx.get('authorization') || 'ann' });
  const resources = [
    shop.resource({
      model: Note,
      ops: ['list', 'get', 'create', 'patch', 'delete', 'restore', 'patchMany', 'deleteMany'],
      scope: ofTenant,
      scopeFields: ['tenant'],
      paging: cursorPaging({ total: true }),
      fields: true,
      include: ['tag'],
      through: ['tag'],
      deleted: { guards: [() => true] },
      aggregate: true,
      export: { max: 50 },
    }),
    shop.resource({
      model: Note,
      path: 'numbered',
      ops: ['list'],
      scope: ofTenant,
      scopeFields: ['tenant'],
      paging: offsetPaging({ total: true }),
    }),
    shop.resource({ model: Notebook, nested: ['notes'] }),
    shop.resource({ model: Tag }),
  ];
  const build = () =>
    shop.api({
      db: database.db,
      prefix: '/api',
      maxSearchMatches: 5,
      ...options,
      resources: [resources[0], resources[1], resources[2], resources[3]] as never,
    });
  beforeAll(async () => {
    const api = build();
    await applyIndexes(api);
    server = await serve(api.routes());
  });
  const send = (
    method: string,
    path: string,
    sent: { readonly body?: unknown; readonly headers?: Record<string, string> } = {},
  ): Promise<Answer> => server.request(method, `/api/${path}`, sent);
  return {
    build,
    send,
    get errors() {
      return server.errors;
    },
    /** The ids that a query string finds, or the status and the codes of the errors. */
    async find(query: string, principal = 'ann', path = 'notes') {
      const { status, body } = await send('GET', `${path}?${query}`, { headers: { authorization: principal } });
      if (status === 200) return body.data.map(({ id }: { id: string }) => id).join(' ');
      return [status, body.code, ...(body.errors ?? []).map(({ field, rule }: { field: string; rule: string }) => `${field} ${rule}`)].join(
        ' ',
      );
    },
  };
}

/** Stores notes with these texts. The number in front is the id. */
export async function seedNotes({ db }: TestDatabase, notes: readonly Readonly<Record<string, unknown>>[]): Promise<void> {
  await db.collection('notes').deleteMany({});
  await db.collection('notes').insertMany(notes.map((note) => ({ tenant: 'ann', title: '', size: 0, revision: 0, ...note })) as never);
}
