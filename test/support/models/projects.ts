import { defineModel, t } from '../../../src/index.ts';

const id = t.string();
const own = t.string({ policy: { insert: true, sort: true } });

/**
 * A project with the other sides of every kind: records, their number, those of an array and of an embedded object, and
 * itself.
 */
export const Project = defineModel('Project', {
  collection: 'projects',
  fields: {
    id: own,
    name: t.string({ policy: { filter: true } }),
    parentId: t.nullable(t.ref('Project', { id, as: 'parent' })),
    tagIds: t.array(t.ref('Tag', { id, as: 'tags' }), { default: [], maxItems: 3, uniqueItems: true }),
    revision: t.revision(),
    tasks: t.hasMany('Task', { via: 'projectId', max: 3, sort: '-rank,title' }),
    taskCount: t.hasMany('Task', { via: 'projectId', count: true, max: 5 }),
    watched: t.hasMany('Task', { via: 'watcherIds' }),
    stepped: t.hasMany('Task', { via: 'steps.project' }),
    parts: t.hasMany('Project', { via: 'parentId', sort: 'name' }),
  },
});

/** A task of a project. */
export const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    id: own,
    title: t.string({ policy: { filter: true, sort: true } }),
    rank: t.int({ default: 0, policy: { filter: true, sort: true } }),
    owner: t.optional(t.string()),
    secret: t.optional(t.string({ policy: { private: true } })),
    projectId: t.nullable(t.ref('Project', { id, as: 'project', policy: { filter: true } })),
    watcherIds: t.array(t.ref('Project', { id }), { default: [] }),
    steps: t.array(t.object('Step', { name: t.string(), project: t.optional(t.ref('Project', { id })) }), { default: [] }),
    revision: t.revision(),
    updatedAt: t.updatedAt(),
  },
});

/** A tag of projects: the other side of an array. */
export const Tag = defineModel('Tag', {
  collection: 'tags',
  fields: {
    id: own,
    label: t.string(),
    owner: t.optional(t.string()),
    projects: t.hasMany('Project', { via: 'tagIds' }),
  },
});

/** A stored document. */
export interface Stored {
  readonly _id: string;
  readonly [key: string]: unknown;
}

export const projects: Stored[] = [
  { _id: 'full', name: 'Full', tagIds: ['red', 'blue'] },
  { _id: 'few', name: 'Few', parentId: 'full', tagIds: ['red'] },
  { _id: '$none', name: 'None', parentId: 'full' },
];

/** Five tasks of `full`, two of `few`, and one that belongs to no project. */
export const tasks: Stored[] = [
  { _id: 'a', title: 'A', rank: 1, projectId: 'full', owner: 'ann', secret: 'hush', watcherIds: ['few', 'few', 'full'] },
  { _id: 'b', title: 'B', rank: 2, projectId: 'full', owner: 'ann', steps: [{ name: 'x', project: 'few' }, { name: 'y' }] },
  { _id: 'c', title: 'C', rank: 2, projectId: 'full', owner: 'ben' },
  { _id: 'd', title: 'D', rank: 3, projectId: 'full', owner: 'ann' },
  { _id: 'e', title: 'E', projectId: 'full', owner: 'ann' },
  { _id: 'f', title: 'F', rank: 1, projectId: 'few', owner: 'ben', watcherIds: ['full'] },
  { _id: 'g', title: 'G', rank: 1, projectId: 'few', owner: 'ann' },
  { _id: 'h', title: 'H', rank: 9 },
];

export const tags: Stored[] = [
  { _id: 'red', label: 'Red', owner: 'ann' },
  { _id: 'blue', label: 'Blue', owner: 'ben' },
  { _id: 'gray', label: 'Gray' },
];
