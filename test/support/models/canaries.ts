import { defineModel, offsetPaging, Problem, t } from '../../../src/index.ts';
import { type TestDatabase, useDatabase } from '../database/database.ts';
import { useApi } from '../http/api.ts';
import type { TestServer } from '../http/serve.ts';

const hidden = { policy: { private: true } };
const id = t.string();
const shown = t.string({ policy: { filter: true, sort: true } });
const secret = t.string({ default: '', ...hidden });

/**
 * The names of all that is private, at any depth, and of a collection. No field that is not has one of them, or a part
 * of one.
 */
export const privateNames = [
  'xTop',
  'xCount',
  'xPin',
  'xDeep',
  'xCard',
  'xEntry',
  'xVault',
  'xNotes',
  'xLabels',
  'xAny',
  'xBoss',
  'xWord',
  'xBudget',
  'xTeams',
];

const Team = defineModel('Team', {
  collection: 'xTeams',
  fields: { id: t.string({ policy: { insert: true } }), title: shown, xBudget: secret },
});
const Person = defineModel('Person', {
  collection: 'people',
  fields: {
    id: t.string({ policy: { insert: true, filter: true, sort: true } }),
    name: shown,
    rank: t.nullable(t.int({ policy: { filter: true, sort: true } })),
    owner: t.string({ policy: { insert: false, update: false } }),
    xTop: secret,
    xCount: t.int({ default: 0, ...hidden }),
    profile: t.nullable(
      t.object('Profile', { city: shown, xPin: secret, inner: t.nullable(t.object('Inner', { open: t.string(), xDeep: secret })) }),
    ),
    cards: t.array(t.object('Card', { label: t.string({ policy: { filter: true } }), xCard: secret }), { default: [] }),
    entries: t.map(t.object('Entry', { open: t.string(), xEntry: secret }), { default: {} }),
    xVault: t.optional(t.object('Vault', { plain: t.string(), list: t.array(t.string()) }, hidden)),
    xNotes: t.array(t.string(), { default: [], ...hidden }),
    xLabels: t.map(t.string(), { default: {}, ...hidden }),
    xAny: t.optional(t.any(hidden)),
    xBoss: t.optional(t.ref('Person', { id, as: 'xBossRecord', ...hidden })),
    xWord: t.optional(t.string({ minLength: 3, policy: { private: true, insert: true, update: true } })),
    boss: t.nullable(t.ref('Person', { id })),
    teamId: t.nullable(t.ref('Team', { id, as: 'team' })),
    number: t.nullable(t.string()),
    revision: t.revision(),
  },
  indexes: [{ fields: ['owner', 'number'], unique: true }],
});

/** A service whose secrets are all of one kind. */
export interface World {
  readonly api: TestServer;
  readonly database: TestDatabase;
}

interface Secrets {
  /** Stands in every secret text. */
  readonly marker: string;
  readonly number: number;
  /** How many records others have beside those that both worlds know. */
  readonly strangers: number;
}

/** Ann's records are the same in every world, but for what is private in them; all that others have is a secret. */
export function useWorld(secrets: Secrets): World {
  const database = useDatabase();
  const api = useApi<string>(
    database,
    (shop) => {
      const scope = (ctx: { requirePrincipal(): string }) => ({ owner: ctx.requirePrincipal() });
      const common = {
        model: Person,
        ops: ['list', 'get', 'create', 'patch', 'put', 'delete'],
        scope,
        scopeFields: ['owner'],
        serverFields: scope,
        include: ['boss', 'boss.boss', 'boss.team', 'team'],
        fields: true,
      } as const;
      return [
        shop.resource({
          ...common,
          operations: {
            look: { method: 'GET', handler: (ctx) => ctx.load() },
            wrap: { method: 'GET', handler: async (ctx) => ({ person: await ctx.load(), all: [await ctx.load()] }) },
            copy: { method: 'GET', handler: async (ctx) => ({ ...(await ctx.load()) }) },
            part: { method: 'GET', handler: async (ctx) => (await ctx.load()).profile },
            touch: { handler: async (ctx) => ctx.save(Object.assign(await ctx.load(), { rank: 9 })) },
            break: { handler: async (ctx) => ctx.save(Object.assign(await ctx.load(), { xCount: 'many' as never, rank: 'x' as never })) },
            refuse: { handler: async (ctx) => ctx.save(Object.assign(await ctx.load(), { name: 5 as never })) },
            gone: {
              async handler(ctx) {
                await ctx.load();
                throw new Problem({ code: 'forbidden', detail: 'Not today.' });
              },
            },
          },
        }),
        shop.resource({ ...common, path: 'pages', paging: offsetPaging({ total: true }), mergePatch: false }),
        shop.resource({ ...common, path: 'hooked', after: { list: [() => undefined], get: [() => undefined], patch: [() => undefined] } }),
        shop.resource({ model: Team, path: 'teams', ops: ['create'] }),
      ];
    },
    {
      authenticate: (ctx) => ctx.get('x-user'),
      docs: true,
      crossOrigin: true,
      undescribed: ['forbidden'],
    },
  );
  beforeAll(() => fill(database, secrets));
  return { api, database };
}

async function fill({ db }: TestDatabase, { marker, number, strangers }: Secrets): Promise<void> {
  const s = (place: string) => `${marker}-${place}`;
  const privately = {
    xTop: s('top'),
    xCount: number,
    xVault: { plain: s('plain'), list: [s('list')] },
    xNotes: [s('note')],
    undeclared: s('undeclared'),
  };
  const more = { xLabels: { [s('key')]: s('label') }, xAny: { deep: [{ [s('any')]: s('any') }] }, xBoss: s('boss'), xWord: s('word') };
  const person = (_id: string, name: string, rank: number | null, rest: object = {}) => ({
    _id,
    name,
    rank,
    owner: 'ann',
    ...privately,
    ...more,
    profile: { city: 'Ulm', xPin: s('pin'), inner: { open: 'o', xDeep: s('deep') } },
    cards: [{ label: 'visa', xCard: s('card') }],
    entries: { k: { open: 'o', xEntry: s('entry') } },
    boss: 'p2',
    teamId: 'red',
    revision: 3,
    ...rest,
  });
  const foreign = (_id: string) => ({
    ...person(_id, s('name'), number, { number: s('number'), boss: s('ref'), teamId: s('team') }),
    profile: { city: s('city'), xPin: s('pin') },
    cards: [{ label: s('label'), xCard: s('card') }],
    owner: s('owner'),
    revision: number,
  });
  await db.collection<{ _id: string }>('people').insertMany([
    person('p1', 'Ann', 1, { number: '1' }),
    person('p2', 'Bea', 2, { boss: 'f1' }),
    person('p3', 'Cat', null, { profile: null, boss: 'gone', number: '3' }),
    // What is not as the model says is told of in development: one value that clients may read, and some that are
    // secrets.
    person('p4', 'Dan', 2, {
      boss: null,
      teamId: null,
      number: 4,
      xCount: s('count'),
      xLabels: { [s('key')]: number },
      xNotes: s('notes'),
    }),
    ...['f1', 'f2', ...Array.from({ length: strangers }, (_, at) => s(`stranger-${at}`))].map(foreign),
  ]);
  await db.collection<{ _id: string }>('xTeams').insertOne({ _id: 'red', title: s('title'), xBudget: s('budget') } as never);
}
