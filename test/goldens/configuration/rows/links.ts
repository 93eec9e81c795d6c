import { compileIncludes, compileReferences, compileThrough, insert, openStore } from '../../../../src/index.ts';
import { db, define, js, type Rows, serve } from '../wrong.ts';

const text = js.string();
const ref = (options: object = {}) => js.ref('Project', { as: 'project', ...options });
const Project = define('Project', { name: text });
const task = (fields: object, options: object = {}) => define('Task', fields, options);
const hook = () => undefined;

/** An api of projects and tasks. */
const both = (fields: object, ofTasks: object = {}, ofProjects: object = {}) =>
  serve([
    { model: Project, ...ofProjects },
    { model: task(fields), ...ofTasks },
  ]);

/** An api of projects with this relation to tasks. */
const many = (relation: object, ofProjects: object = {}, ofTasks: object = {}, fields: object = { projectId: js.ref('Project') }) =>
  serve([
    { model: define('Project', { name: text, tasks: js.hasMany('Task', { via: 'projectId', ...relation }) }), ...ofProjects },
    { model: task({ text, ...fields }), ...ofTasks },
  ]);

/** References that hold. */
export const references: Rows = {
  'a model that is not known': () => serve([{ model: task({ projectId: js.ref('Projekt', { exists: true }) }) }]),
  'ids of another type': () => both({ projectId: ref({ id: text, exists: true }) }),
  'ids in another form': () => both({ projectId: ref({ id: js.uuid({ storedAs: 'legacy-java' }), exists: true }) }),
  'several resources': () =>
    serve([{ model: Project, path: 'a' }, { model: Project, path: 'b' }, { model: task({ projectId: ref({ exists: true }) }) }]),
  'a resource that is not served': () => both({ projectId: ref({ exists: true, resource: 'others' }) }),
  'a field at the key that counts references': () =>
    serve([
      { model: define('Project', { a: js.string({ stored: '_references' }) }) },
      { model: task({ projectId: ref({ onDelete: 'restrict' }) }) },
    ]),
  'the collection of the latches': () =>
    serve([{ model: Project }, { model: task({ projectId: ref({ exists: true }) }, { collection: 'reference_latches' }) }]),
  'a cascade that a restore could not take back': () =>
    serve([{ model: define('Project', { deletedAt: js.deletedAt() }) }, { model: task({ projectId: ref({ onDelete: 'cascade' }) }) }]),
  'a circle': () =>
    serve([{ model: define('A', { b: js.ref('B', { exists: true }) }) }, { model: define('B', { a: js.ref('A', { exists: true }) }) }]),
  'two actions of one collection': () =>
    serve([{ model: Project }, { model: task({ projectId: ref({ onDelete: 'cascade' }) }) }], {
      models: [define('Other', { projectId: ref({ onDelete: 'restrict' }) }, { collection: 'tasks' })],
    }),
  'hooks of one of several resources': () =>
    serve([
      { model: Project },
      { model: task({ projectId: ref({ onDelete: 'cascade' }) }), path: 'one', after: { delete: [hook] } },
      { model: task({ projectId: ref({ onDelete: 'cascade' }) }), path: 'other' },
    ]),
  'a middleware that knows no references': () => insert(task({ projectId: ref({ exists: true }) }), { db }),
  'a middleware that knows no references with an action': () => insert(task({ projectId: ref({ onDelete: 'cascade' }) }), { db }),
  'a store without the other model': () => openStore(task({ projectId: ref({ exists: true }) }), { db, models: [] }),
  'targets that are no array': () => compileReferences({ db, targets: {} as never }),
  'a limit that is none': () => compileReferences({ db, targets: [], maxCascade: -1 } as never),
};

/** `include`, `through`, `nested`, `links` and `t.hasMany`. */
export const links: Rows = {
  'an include that is a text': () => both({ projectId: ref() }, { include: 'project' }),
  'an include that is not there': () => both({ projectId: ref() }, { include: ['projct'] }),
  'an include of a model without relations': () => both({ text }, { include: ['project'] }),
  'an include by the name of its field': () => both({ projectId: ref() }, { include: ['projectId'] }),
  'an include of a model that is not known': () => serve([{ model: task({ projectId: ref() }), include: ['project'] }]),
  'an include of ids of another type': () => both({ projectId: ref({ id: text }) }, { include: ['project'] }),
  'an include of several resources': () =>
    serve([
      { model: Project, path: 'a' },
      { model: Project, path: 'b' },
      { model: task({ projectId: ref() }), include: ['project'] },
    ]),
  'an include of a resource that is not served': () => both({ projectId: ref({ resource: 'others' }) }, { include: ['project'] }),
  'an include of nothing': () => many({}, { include: [{ max: 1 }] }),
  'an include with an unknown option': () => many({}, { include: [{ relation: 'tasks', limit: 1 }] }),
  'an include that is there twice': () => many({}, { include: ['tasks', { relation: 'tasks', max: 1 }] }),
  'an include of more than its relation has': () => many({ max: 5 }, { include: [{ relation: 'tasks', max: 6 }] }),
  'an include of a number in an order': () => many({ count: true }, { include: [{ relation: 'tasks', sort: 'text' }] }),
  'an include with an order that is there twice': () => many({}, { include: [{ relation: 'tasks', sorts: ['text', 'text'] }] }),
  'an include of one record that is narrowed': () => both({ projectId: ref() }, { include: [{ relation: 'project', max: 1 }] }),
  'an include behind a number': () => many({ count: true }, { include: ['tasks.project'] }),
  'too many includes after one another': () => {
    const Node = define('Node', { parentId: js.ref('Node', { as: 'parent' }) });
    return serve([{ model: Node, include: ['parent.parent.parent.parent.parent.parent'] }]);
  },
  'through that is a text': () => both({ projectId: ref() }, { through: 'project' }),
  'through that is not there': () => both({ projectId: ref() }, { through: ['projct'] }),
  'through a model without filters': () => both({ projectId: ref() }, { through: ['project'] }),
  'through an array to a model without filters': () => both({ projectIds: js.array(ref()) }, { through: ['project'] }),
  'through an array of arrays': () => both({ projectIds: js.array(js.array(ref())) }, { through: ['project'] }),
  'nested that is not there': () => many({}, { nested: ['taks'] }),
  'nested that is a number': () => many({ count: true }, { nested: ['tasks'] }),
  'nested that is no segment of a path': () => many({}, { nested: ['a/b'] }),
  'nested twice': () => many({}, { nested: ['tasks', 'tasks'] }),
  'nested beside an operation at its path': () => many({}, { nested: ['tasks'], operations: { tasks: { handler: hook } } }),
  'nested beside an operation of its name': () => many({}, { nested: ['tasks'], operations: { tasks: { handler: hook, path: '/x' } } }),
  'nested in what is not shown': () => many({}, { nested: ['tasks'], ops: ['create'] }),
  'nested of a model that no resource serves': () =>
    serve([{ model: define('Project', { tasks: js.hasMany('Task', { via: 'projectId' }) }), nested: ['tasks'] }], {
      models: [task({ projectId: js.ref('Project') })],
    }),
  'nested of a resource that serves neither': () => many({}, { nested: ['tasks'] }, { ops: ['get'] }),
  'links without Patch': () => both({ projectIds: js.array(ref()) }, { links: ['project'], ops: ['get'] }),
  'links beside hooks before Patch': () => both({ projectIds: js.array(ref()) }, { links: ['project'], before: { patch: [hook] } }),
  'links that are not there': () => both({ projectIds: js.array(ref()) }, { links: ['projct'] }),
  'links of a single reference': () => both({ projectId: ref() }, { links: ['project'] }),
  'links that clients may not update': () => both({ projectIds: js.array(ref(), { policy: { update: false } }) }, { links: ['project'] }),
  'links of ids of another type': () => both({ projectIds: js.array(ref({ id: text })) }, { links: ['project'] }),
  'a relation to a model that is not known': () =>
    serve([{ model: define('Project', { tasks: js.hasMany('Task', { via: 'projectId' }) }) }]),
  'a relation to a misspelt model': () =>
    serve([{ model: define('Project', { name: text, tasks: js.hasMany('Projct', { via: 'projectId' }) }) }]),
  'a relation by a field that is not there': () => many({ via: 'projectd' }),
  'a relation by a field in an array of arrays': () => many({}, {}, {}, { projectId: js.array(js.array(js.ref('Project'))) }),
  'a relation by a field that is no reference': () => many({ via: 'text' }),
  'a relation by a reference to another model': () => many({}, {}, {}, { projectId: js.ref('Task') }),
  'a relation by ids of another type': () => many({}, {}, {}, { projectId: js.ref('Project', { id: text }) }),
  'a relation sorted by what is not there': () => many({ sort: 'txt' }),
  'a relation sorted by a private field': () =>
    many({ sort: 'secret' }, {}, {}, { projectId: js.ref('Project'), secret: js.string({ policy: { private: true } }) }),
  'includes of an app of its own': () => compileIncludes(task({ projectId: ref() }), ['project'], { db, targets: [] }),
  'through of no ids': () => compileThrough(task({ projectId: ref() }), [], { db, targets: [], maxIdsThrough: 0 }),
  'through of an app of its own': () => compileThrough(task({ projectId: ref() }), ['project'], { db, targets: [] }),
  'two models of one name among models': () => serve([], { models: [define('A', {}), define('A', {}, { collection: 'b' })] }),
  'models that are no array': () => serve([], { models: {} }),
};
