import { defineModel, everything, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';

const all = { filter: true, sort: true } as const;
export const sides = ['plain', 'stored'] as const;
export type Side = (typeof sides)[number];

/** What stands between features, twice: with keys of its own, among them the names of other fields, and without. */
export function defineDesk(side: Side) {
  const as = (stored: string) => (side === 'stored' ? { stored } : {}) as { readonly stored: string };
  const inForm = <Form extends string>(storedAs: Form) => (side === 'stored' ? { storedAs } : {}) as { readonly storedAs: Form };
  const id = t.string({ policy: { insert: true, ...all } });
  const Team = defineModel('Team', {
    collection: `${side}_teams`,
    fields: {
      id,
      title: t.string({ ...as('name'), default: '', policy: all }),
      name: t.string({ ...as('title'), default: '', policy: { ...all, read: 'staff' } }),
      revision: t.revision(as('r')),
    },
  });
  const Member = t.object('Member', {
    who: t.nullable(t.ref('Team', { ...as('w'), id: t.string(), as: 'team', onDelete: 'nullify' })),
    role: t.string({ ...as('who'), default: 'guest', policy: { filter: true } }),
  });
  const Home = t.object('Home', {
    tenant: t.string({ ...as('t'), default: 'x', policy: { filter: true } }),
    city: t.string({ ...as('tenant'), default: '', policy: all }),
  });
  const Task = defineModel('Task', {
    collection: `${side}_tasks`,
    fields: {
      id,
      title: t.string({ ...as('secret'), policy: all, caseless: true, unique: true }),
      secret: t.string({
        ...as('title'),
        default: '',
        policy: { ...all, read: 'staff', update: 'staff', insert: 'staff', group: true },
        unique: false,
      }),
      code: t.optional(
        t.string({ ...as('at'), unique: true, caseless: true, policy: { ...all, read: 'staff', insert: 'staff', update: 'staff' } }),
      ),
      at: t.nullable(t.point({ ...as('code'), policy: { near: { maxMetres: 50_000 } } })),
      due: t.nullable(t.date({ ...as('likes'), ...inForm('epoch-s'), policy: all })),
      likes: t.counter({ ...as('due'), minimum: 0, maximum: 9, policy: all }),
      votes: t.counter({ ...as('home'), policy: { read: 'staff', update: 'staff' } }),
      home: t.nullable({ ...Home, ...as('votes') } as typeof Home),
      members: t.array(Member, { ...as('m'), default: [], policy: { filter: true } }),
      main: t.nullable(t.ref('Team', { ...as('members'), id: t.string(), as: 'team', onDelete: 'cascade', policy: { filter: true } })),
      others: t.array(t.ref('Team', { id: t.string(), as: 'teams', onDelete: 'pull' }), { ...as('main'), default: [] }),
      label: t.computed(t.string(), { from: ['title', 'due'], get: ({ title, due }: Any) => `${title} ${due?.toISOString()}` }),
      hint: t.computed(t.string({ policy: { read: true } }), { from: ['secret'], get: ({ secret }: Any) => `${secret}`.slice(0, 1) }),
      revision: t.revision(as('label')),
      createdAt: t.createdAt(as('updatedAt')),
      updatedAt: t.updatedAt(as('createdAt')),
      deletedAt: t.deletedAt(as('hint')),
    },
    search: { fields: { title: 1 } },
    history: { scopeFields: ['home.tenant', 'title'] },
    outbox: true,
  });
  return { Team, Task };
}

/** Serves both with all that a resource can have, within a scope and without one. */
export function serveDesk({ Team, Task }: Any, shop: Any) {
  const ops = ['list', 'get', 'create', 'patch', 'put', 'delete', 'restore', 'patchMany', 'deleteMany'] as const;
  const common = { fields: true, live: true, aggregate: true, export: {}, history: true, deleted: { guards: [() => true] } };
  return [
    shop.resource({ model: Team, path: 'teams', ops: ['list', 'get', 'create', 'patch', 'delete'], scope: () => everything }),
    shop.resource({
      ...common,
      model: Task,
      path: 'tasks',
      ops,
      include: ['team', 'members.team', 'teams'],
      through: ['team'],
      links: ['teams'],
      scope: () => everything,
    } as Any),
    shop.resource({
      ...common,
      model: Task,
      path: 'mine',
      ops,
      include: ['team', 'members.team', 'teams'],
      scope: (ctx: Any) => ({ 'home.tenant': ctx.get('x-tenant') || 'me' }),
      explicitWrites: false,
    } as Any),
  ];
}
