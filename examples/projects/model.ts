import { defineModel, t } from 'koa-mongo-resource';
import { defineWebhooks } from 'koa-mongo-resource/webhooks';

/** Every record belongs to one workspace, which the server sets. */
const workspace = t.string({ policy: { insert: false, update: false } });

export const Workspace = defineModel('Workspace', {
  collection: 'workspaces',
  fields: {
    id: t.string(),
    name: t.string({ minLength: 1, maxLength: 100 }),
    projectCount: t.hasMany('Project', { via: 'workspaceId', count: true }),
    members: t.hasMany('Member', { via: 'workspaceId', sort: 'name' }),
    revision: t.revision(),
  },
});

export const Member = defineModel('Member', {
  collection: 'members',
  fields: {
    // A workspace with members cannot be deleted.
    workspaceId: t.ref('Workspace', { id: t.string(), as: 'workspace', onDelete: 'restrict', policy: { insert: false, update: false } }),
    name: t.string({ minLength: 1, maxLength: 100, policy: { filter: ['eq', 'prefix'], sort: true } }),
    token: t.string({ policy: { private: true } }), // a real service keeps a hash
    isAdmin: t.boolean({ default: false, policy: { insert: false, update: false } }),
    tasks: t.hasMany('Task', { via: 'assigneeId', sort: '-createdAt' }),
    projects: t.hasMany('Project', { via: 'memberIds', sort: 'name' }), // the other way of a list of references
    revision: t.revision(),
  },
  indexes: [{ fields: ['token'] }],
});

export const Project = defineModel('Project', {
  collection: 'projects',
  fields: {
    workspaceId: t.ref('Workspace', { id: t.string(), as: 'workspace', onDelete: 'restrict', policy: { insert: false, update: false } }),
    name: t.string({ minLength: 1, maxLength: 200, policy: { filter: ['eq', 'prefix'], sort: true } }),
    status: t.enum(['open', 'archived'], { default: 'open', policy: { filter: ['eq'], sort: true } }),
    memberIds: t.array(t.ref('Member', { as: 'members', exists: true, onDelete: 'pull' }), {
      default: [],
      uniqueItems: true,
      maxItems: 100,
    }),
    tasks: t.hasMany('Task', { via: 'projectId', max: 50, sort: '-createdAt' }),
    taskCount: t.hasMany('Task', { via: 'projectId', count: true }),
    deletedAt: t.deletedAt(),
    revision: t.revision(),
    createdAt: t.createdAt(),
    updatedAt: t.updatedAt(),
  },
  outbox: true,
});

export const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    projectId: t.ref('Project', { as: 'project', exists: true, onDelete: 'cascade', policy: { filter: ['eq', 'in'] } }),
    title: t.string({ minLength: 1, maxLength: 200, policy: { filter: ['eq', 'prefix'], sort: true } }),
    status: t.enum(['open', 'done'], { default: 'open', policy: { filter: ['eq'] } }),
    assigneeId: t.nullable(
      t.ref('Member', { as: 'assignee', exists: true, onDelete: 'nullify', policy: { filter: ['eq', 'in', 'exists'] } }),
    ),
    parentId: t.nullable(t.ref('Task', { as: 'parent', exists: true, onDelete: 'cascade' })),
    comments: t.hasMany('Comment', { via: 'taskId', sort: 'createdAt' }),
    commentCount: t.hasMany('Comment', { via: 'taskId', count: true }),
    workspace,
    deletedAt: t.deletedAt(),
    revision: t.revision(),
    createdAt: t.createdAt({ policy: { sort: true } }),
    updatedAt: t.updatedAt(),
  },
  history: { scopeFields: ['workspace'] },
  outbox: true,
});

export const Comment = defineModel('Comment', {
  collection: 'comments',
  fields: {
    taskId: t.ref('Task', { as: 'task', exists: true, onDelete: 'cascade', policy: { filter: ['eq'] } }),
    // Who has commented cannot be deleted, so that every comment keeps its author.
    authorId: t.ref('Member', { as: 'author', exists: true, onDelete: 'restrict', policy: { insert: false, update: false } }),
    text: t.string({ minLength: 1, maxLength: 10_000 }),
    workspace,
    deletedAt: t.deletedAt(),
    revision: t.revision(),
    createdAt: t.createdAt({ policy: { sort: true } }),
  },
  outbox: true,
});

/** Other programs that hear of the changes in a workspace. */
export const webhooks = defineWebhooks('Subscription', { collection: 'subscriptions', fields: { workspace } });
