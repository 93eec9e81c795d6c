import { defineModel, everything, type RequestContext, type Service, t } from '../../../src/index.ts';

const id = t.string();
const all = { filter: true, sort: true } as const;

/** Who calls: a tenant, and whether the guard of projects opens. */
export interface Caller {
  readonly tenant: string;
  readonly guest: boolean;
}

export const Member = defineModel('Member', {
  collection: 'members',
  fields: {
    id: t.string({ policy: { insert: true, ...all } }),
    tenant: t.string(),
    name: t.nullable(t.string({ policy: all })),
    salary: t.optional(t.int({ policy: { private: true } })),
  },
});

export const Project = defineModel('Project', {
  collection: 'projects',
  fields: {
    id: t.string({ policy: { insert: true, ...all } }),
    tenant: t.string(),
    name: t.nullable(t.string({ policy: all })),
    status: t.optional(t.enum(['open', 'done'], { policy: { filter: true } })),
    budget: t.optional(t.int({ policy: all })),
    place: t.optional(t.object('Place', { city: t.optional(t.string({ policy: all })) })),
    note: t.optional(t.string()),
    secret: t.optional(t.string({ policy: { private: true } })),
    ownerId: t.nullable(t.ref('Member', { id, as: 'owner' })),
  },
});

const Tag = defineModel('Tag', { collection: 'tags', fields: { id, name: t.string({ policy: all }) } });

export const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    id: t.string({ policy: { insert: true, ...all } }),
    title: t.optional(t.string({ policy: all })),
    rank: t.optional(t.int({ policy: all })),
    project: t.optional(t.ref('Project', { id, policy: { filter: true } })),
    tagIds: t.optional(t.array(t.ref('Tag', { id, as: 'tags' }))),
    review: t.optional(t.object('Review', { byId: t.nullable(t.ref('Member', { id, as: 'by' })) })),
    hidden: t.optional(t.ref('Project', { id, as: 'hiddenProject', policy: { private: true } })),
    lines: t.optional(t.array(t.object('Line', { tagId: t.ref('Tag', { id, as: 'tag' }) }))),
  },
});

const ofTenant = (ctx: RequestContext<Caller>) => (ctx.principal ? { tenant: ctx.principal.tenant } : everything);
const isNoGuest = (ctx: RequestContext<Caller>) => ctx.principal?.guest !== true;

/** The relations through which tasks can be filtered. */
const through = ['project', 'project.owner', 'tags', 'review.by', 'lines.tag'] as const;

/** Tasks that all see, and projects and members of tenants. Guests see no projects. */
export function projectResources(shop: Service<Caller>, more: object = {}) {
  return [
    shop.resource({ model: Task, through, include: ['project'], ops: ['list', 'get', 'deleteMany'], ...more }),
    shop.resource({
      model: Project,
      scope: ofTenant,
      guardsFor: { get: [isNoGuest], list: [] },
      scopeFields: ['tenant'],
      through: ['owner'],
    }),
    shop.resource({ model: Member, scope: ofTenant, scopeFields: ['tenant'] }),
    shop.resource({ model: Tag, ops: ['get'] }),
  ];
}

/** The principal that the header `x-tenant` names; guests have a question mark. */
export function callerOf(header: string): Caller | undefined {
  return header === '' ? undefined : { tenant: header.replace('?', ''), guest: header.endsWith('?') };
}
