import { randomUUID } from 'node:crypto';
import type Koa from 'koa';
import type { Db, Document } from 'mongodb';
import { type Api, type ApiOptions, cursorPaging, defineModel, jsonBody, Problem, service, t } from '../../../src/index.ts';

const all = { insert: true, sort: true, filter: true } as const;
const id = t.string({ policy: all });

export const authors = 'authors';
export const things = 'things';

const Author = defineModel('Author', { collection: authors, fields: { id, rank: t.nullable(t.int(), { policy: all }) } });

const fields = {
  id,
  /** The mark of the last write, see the judge. */
  token: t.string({ default: '' }),
  rank: t.nullable(t.int(), { policy: all }),
  place: t.nullable(t.object('Place', { city: t.string(), zip: t.nullable(t.string()) })),
  author: t.nullable(t.ref('Author', { id: t.string() })),
  revision: t.revision(),
};

const Thing = defineModel('Thing', { collection: things, fields });

/** The same records, with a check that needs a value which clients cannot send: its PUT reads before it writes. */
const Checked = defineModel('Checked', {
  collection: things,
  fields: { ...fields, size: t.int(), limit: t.int({ default: 10, policy: { insert: false, update: false } }) },
  check: ({ size, limit }) => (size > limit ? `must stay within ${limit}` : undefined),
});

const Stamp = t.object('Stamp', { token: t.string() });
const Both = t.object('Both', { token: t.string(), refuses: t.boolean({ default: false }) });

/** What stands in the way of every request. */
type Arrive = (ctx: Koa.Context) => Promise<void> | void;

/** The api that all faults are played against: every operation, at `/things`, `/checked` and `/authors`. */
export function makeApi(db: Db, options: Partial<ApiOptions<never>> = {}, arrive: Arrive = () => undefined): Api {
  const shop = service({ authenticate: async (ctx) => void (await arrive(ctx)) });
  const paging = cursorPaging({ total: true });
  const ops = ['list', 'get', 'create', 'patch', 'put', 'delete'] as const;
  return shop.api({
    db,
    warnOnScan: false,
    onError: () => undefined,
    ...options,
    resources: [
      shop.resource({
        model: Thing,
        ops,
        paging,
        include: ['author'],
        operations: {
          stamp: {
            summary: 'Loads the thing and saves it with a mark',
            use: [jsonBody({ schema: Stamp })],
            async handler(ctx) {
              const thing = await ctx.load();
              thing.token = ctx.request.body.token;
              return ctx.save(thing);
            },
          },
          both: {
            summary: 'Marks the thing and creates another one, in a transaction',
            use: [jsonBody({ schema: Both })],
            async handler(ctx) {
              const { token, refuses } = ctx.request.body;
              await ctx.transaction(async (tx) => {
                const thing = await ctx.load();
                thing.token = token;
                await tx.store(Thing).create({ id: token, token });
                await ctx.save(thing);
                if (refuses) throw new Problem({ status: 409, code: 'refused' });
              });
            },
          },
        },
      }),
      shop.resource({ model: Checked, path: 'checked', ops }),
      shop.resource({ model: Author, ops: ['list'], paging }),
    ],
  });
}

/** A request to {@link makeApi}. */
export interface Ask {
  readonly method: string;
  readonly path: string;
  readonly body?: Document;
  readonly headers?: Readonly<Record<string, string>>;
}

/** One that writes, by its mark. */
export interface AskToWrite extends Ask {
  readonly token: string;
}

const writes = {
  create: (token) => ({ method: 'POST', path: '/things', body: { id: token, token } }),
  patch: (token, record) => ({ method: 'PATCH', path: `/things/${record}`, body: { token } }),
  merge: (token, record) => ({ method: 'PATCH', path: `/things/${record}`, body: { token, place: { city: 'Ulm', zip: null } } }),
  put: (token, record) => ({ method: 'PUT', path: `/things/${record}`, body: { token } }),
  checkedPut: (token, record) => ({ method: 'PUT', path: `/checked/${record}`, body: { token, size: 3 } }),
  stamp: (token, record) => ({ method: 'POST', path: `/things/${record}/stamp`, body: { token } }),
  delete: (token) => ({ method: 'DELETE', path: `/things/${token}` }),
} satisfies Record<string, (token: string, record: string) => Ask>;

/** Every way to write. */
export type Write = keyof typeof writes;
export const writeNames = Object.keys(writes) as readonly Write[];

/** A new write, with a mark that no other has. A delete is of a record whose id is that mark. */
export function makeWrite(write: Write, record: string): AskToWrite {
  const token = newToken();
  return { ...writes[write](token, record), token };
}

const mark = 'w:';

export function newToken(): string {
  return mark + randomUUID();
}

export const isToken = (value: unknown): value is string => typeof value === 'string' && value.startsWith(mark);

/** The stored document of a thing. It needs no fields more for either model. */
export function stored(_id: string): Document & { _id: string } {
  return { _id, token: '', rank: null, author: 'ann', size: 1, limit: 10, revision: 0 };
}
