import type { Db } from 'mongodb';
import { type Api, type ApiOptions, cursorPaging, defineModel, everything, type RequestContext, service, t } from '../../../src/index.ts';
import { operations } from '../../../src/resource/define/standard-operations.ts';

/** Stands in every field that only leads may see. */
export const canary = 'zqsecret';

const all = { filter: true, sort: true } as const;
const lead = { read: 'lead' } as const;
const id = () => t.string({ policy: { insert: true, ...all } });
const tenant = () => t.string({ policy: { private: true } });

export const Team = defineModel('Team', {
  collection: 'teams',
  fields: { id: id(), tenant: tenant(), name: t.string({ caseless: true, policy: all }), projects: t.hasMany('Project', { via: 'team' }) },
});

export const Project = defineModel('Project', {
  collection: 'projects',
  fields: {
    id: id(),
    tenant: tenant(),
    name: t.string({ caseless: true, policy: all }),
    budget: t.optional(t.string({ policy: { ...lead, ...all } })),
    team: t.nullable(t.ref('Team', { id: t.string(), onDelete: 'nullify', policy: { filter: true } })),
    tasks: t.hasMany('Task', { via: 'project', max: 2, sort: '-rank' }),
    taskCount: t.hasMany('Task', { via: 'project', count: true }),
    revision: t.revision(),
    deletedAt: t.deletedAt({ policy: { sort: true } }),
  },
});

export const Tag = defineModel('Tag', {
  collection: 'tags',
  fields: { id: id(), name: t.string({ policy: all }), tasks: t.hasMany('Task', { via: 'tagIds', max: 3 }) },
});

export const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    id: id(),
    tenant: tenant(),
    owner: t.string({ policy: { filter: true } }),
    title: t.string({ caseless: true, policy: all }),
    rank: t.nullable(t.int({ policy: all })),
    status: t.enum(['open', 'done'], { default: 'open', policy: { filter: true } }),
    place: t.nullable(t.object('Place', { city: t.string({ policy: all }), code: t.optional(t.string({ policy: { ...lead, ...all } })) })),
    lines: t.array(t.object('Line', { sku: t.string({ policy: { filter: true } }), cost: t.optional(t.string({ policy: lead })) }), {
      default: [],
    }),
    note: t.optional(t.string()),
    secret: t.optional(t.string({ policy: { ...lead, ...all } })),
    inner: t.string({ default: canary, policy: { private: true } }),
    count: t.int({ default: 0 }),
    project: t.nullable(t.ref('Project', { id: t.string(), onDelete: 'cascade', policy: { filter: true } })),
    tagIds: t.array(t.ref('Tag', { id: t.string(), as: 'tags', onDelete: 'pull' }), { default: [] }),
    remarks: t.hasMany('Remark', { via: 'task', sort: '-id' }),
    updatedAt: t.updatedAt(),
    revision: t.revision(),
    deletedAt: t.deletedAt({ policy: { sort: true } }),
  },
});

/** What leaves users fewer rights, or other tasks of their tenants. */
const Member = defineModel('Member', { collection: 'members', fields: { id: t.string() } });

export const Remark = defineModel('Remark', {
  collection: 'remarks',
  fields: {
    id: t.int({ policy: { insert: true, ...all } }),
    tenant: tenant(),
    text: t.string({ policy: all }),
    task: t.nullable(t.ref('Task', { id: t.string(), onDelete: 'nullify', policy: { filter: true } })),
  },
});

interface User {
  readonly tenant: string;
  /** Whose tasks the user sees. @default those of the tenant */
  readonly owner?: string;
  readonly isLead?: boolean;
  readonly isRoot?: boolean;
}

/** What is stored of a user: it replaces the user's own rights, and never gives more. */
export interface MemberRecord extends Partial<Pick<User, 'owner' | 'isLead' | 'isRoot'>> {
  readonly _id: string;
  /** Whether the user is nobody for now. */
  readonly isOut?: boolean;
}

/** Two tenants, whose users see some of each other's records, and never those of the other tenant. Root sees all. */
export const users: Readonly<Record<string, User>> = {
  ann: { tenant: 'a', owner: 'ann' },
  bob: { tenant: 'a', owner: 'bob' },
  amy: { tenant: 'a' },
  ada: { tenant: 'a', isLead: true },
  ben: { tenant: 'b', owner: 'ben' },
  bea: { tenant: 'b', isLead: true },
  root: { tenant: 'a', isLead: true, isRoot: true },
};

const userOf = (ctx: RequestContext<User>) => ctx.requirePrincipal();
const ofTenant = (ctx: RequestContext<User>) => (userOf(ctx).isRoot ? everything : { tenant: userOf(ctx).tenant });
const ofOwner = (ctx: RequestContext<User>) => {
  const { tenant, owner } = userOf(ctx);
  return owner === undefined ? ofTenant(ctx) : { tenant, owner };
};
const isLead = (ctx: RequestContext<User>) => userOf(ctx).isLead === true;

/** Options of the board. */
export interface BoardOptions extends Partial<ApiOptions<never>> {
  /** Whether users have the rights that their {@link MemberRecord} leaves them. @default false */
  readonly hasMembers?: boolean;
}

/** An api whose lists are live: relations of all kinds, soft deletes, texts without case, views, scopes and hooks. */
export function boardApi(db: Db, { hasMembers = false, ...options }: BoardOptions = {}): Api {
  const rightsOf = async (name: string) => {
    const { _id, isOut = false, ...rights } = (await db.collection<MemberRecord>('members').findOne({ _id: name })) ?? {};
    return isOut ? undefined : ({ ...users[name], ...rights } as User);
  };
  const shop = service<User, 'lead'>({
    authenticate: (ctx) => (hasMembers ? rightsOf : (name: string) => users[name])(ctx.get('authorization')),
    rules: { lead: (user) => user.isLead === true },
  });
  const serverFields = (ctx: RequestContext<User>) => ({ tenant: userOf(ctx).tenant });
  const common = { fields: true, live: hasMembers ? { watches: [Member] } : true, paging: cursorPaging({ total: true }) } as const;
  const hard = operations.filter((one) => one !== 'restore');
  return shop.api({
    db,
    batch: true,
    ...(options as object),
    resources: [
      shop.resource({ ...common, model: Team, ops: hard, scope: ofTenant, serverFields, include: ['projects', 'projects.taskCount'] }),
      shop.resource({
        ...common,
        model: Project,
        ops: operations,
        scope: ofTenant,
        serverFields,
        include: ['team', 'tasks', 'taskCount', 'tasks.tags'],
        through: ['team', 'tasks'],
        deleted: { guards: [isLead] },
      }),
      shop.resource({ ...common, model: Tag, ops: hard, include: ['tasks'], through: ['tasks'] }),
      shop.resource({
        ...common,
        model: Task,
        ops: operations,
        scope: ofOwner as never,
        scopeWrites: false,
        serverFields,
        include: ['project', 'project.team', 'project.taskCount', 'tags', 'remarks'],
        through: ['project', 'project.team', 'tags', 'remarks'],
        links: ['tags'],
        deleted: { guards: [isLead] },
      }),
      shop.resource({ ...common, model: Remark, ops: hard, scope: ofTenant, serverFields, include: ['task'], through: ['task'] }),
      // The same tasks with a hook: what its lists show is shared by nobody.
      shop.resource({
        ...common,
        model: Task,
        path: 'hooked',
        ops: ['list', 'get'],
        scope: ofOwner as never,
        include: ['project'],
        after: { list: [(_ctx: unknown, page: readonly object[]) => void page.map((one) => Object.assign(one, { note: 'hook' }))] },
      }),
    ] as never,
  }) as unknown as Api;
}
