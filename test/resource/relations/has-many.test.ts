import { MongoClient } from 'mongodb';
import { ConfigurationError, compileIncludes, defineModel, type Fields, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';

const db = new MongoClient('mongodb://127.0.0.1:1').db(); // asked nothing
const shop = service();
const Project = (fields: Fields) => defineModel('Project', { collection: 'projects', fields });
const Task = (fields: Fields) => defineModel('Task', { collection: 'tasks', fields });
const plain = Task({
  name: t.string(),
  note: t.string({ policy: { private: true } }),
  words: t.array(t.string()),
  projectId: t.ref('Project'),
  otherId: t.ref('Other'),
  textId: t.ref('Project', { id: t.string() }),
  byKey: t.map(t.object('Entry', { projectId: t.ref('Project') })),
  deep: t.array(t.array(t.ref('Project'))),
  secretId: t.ref('Project', { policy: { private: true } }),
});
const build =
  (fields: Fields, others: readonly Any[] = [{ model: plain }], include?: readonly unknown[]) =>
  () =>
    shop.api({
      db,
      resources: [{ model: Project(fields), ...(include && { include }) }, ...others].map((one) => shop.resource(one as Any)),
    });
const many = (options: object, model = 'Task') => ({ tasks: (t.hasMany as Any)(model, options) });

describe('a mistake in t.hasMany is a configuration error that names both ends', () => {
  it.each<[rule: string, fields: Fields, message: RegExp]>([
    [
      'an unknown model',
      many({ via: 'projectId' }, 'Tusk'),
      /`tasks` in Project leads to Tusk, a model that is not known here.*did you mean `Task`/,
    ],
    [
      'an unknown field',
      many({ via: 'projectid' }),
      /`tasks` in Project: `via: 'projectid'` is not a field of Task.*did you mean `projectId`/,
    ],
    ['a field in a map', many({ via: 'byKey.projectId' }), /`via: 'byKey.projectId'` is not a field of Task, or is one within a map/],
    ['an array of arrays', many({ via: 'deep' }), /`via: 'deep'` of Task is in an array of arrays/],
    ['a field that is no reference', many({ via: 'name' }), /`via: 'name'` of Task is not a reference: it must be `t.ref\('Project'\)`/],
    ['a reference to another model', many({ via: 'otherId' }), /`via: 'otherId'` of Task refers to Other: it must be `t.ref\('Project'\)`/],
    [
      'ids of another type',
      many({ via: 'textId' }),
      /`tasks` in Project.*`via: 'textId'` of Task: ids of Project are of type objectId, not string/,
    ],
    ['a sort by an unknown field', many({ via: 'projectId', sort: 'nam' }), /`sort` names `nam`.*Task.*did you mean `name`/],
    ['a sort by an array', many({ via: 'projectId', sort: '-words' }), /`sort` names `words`, which is not a single value of Task/],
    ['a sort by a private field', many({ via: 'projectId', sort: 'note' }), /`sort` names `note`/],
    ['a sort of nothing', many({ via: 'projectId', sort: 'name,' }), /`sort` of `t.hasMany` of `tasks` must be names of fields/],
    ['a sort of a number', many({ via: 'projectId', sort: 'name', count: true }), /cannot have `sort` with `count`/],
    ['a sort by one field twice', many({ via: 'projectId', sort: 'name,-name' }), /`sort` of `t.hasMany` of `tasks` names `name` twice/],
    ['a max of none', many({ via: 'projectId', max: 0 }), /`max` of `t.hasMany` of `tasks` must be/],
    ['a huge max', many({ via: 'projectId', max: 10_001 }), /`max`.* from 1 to 10000/],
    ['an unknown option', many({ via: 'projectId', limit: 5 }), /`limit` is not an option of `t.hasMany` of `tasks`/],
    ['no via', many({}), /`via` of `t.hasMany` of `tasks` must be a string/],
    [
      'the name of an `as`',
      { ...many({ via: 'projectId' }), x: t.ref('Task', { as: 'tasks' }) },
      /adds a member `tasks`, which is already/,
    ],
    [
      'a field beside it',
      { ...many({ via: 'projectId' }), tasks_has_next: t.boolean() },
      /adds a member `tasks_has_next`, which is already/,
    ],
    ['the id', { id: t.hasMany('Task', { via: 'projectId' }) }, /adds a member `id`, which is already/],
    ['a name that no field can have', { 'a.b': t.hasMany('Task', { via: 'projectId' }) }, /`a.b` is not a valid field name/],
  ])('%s', (_rule, fields, message) => {
    expect(build(fields)).toThrow(ConfigurationError);
    expect(build(fields)).toThrow(message);
  });

  it.each<[where: string, field: unknown]>([
    ['an embedded object', t.object('Box', many({ via: 'projectId' }))],
    ['an array', t.array(t.hasMany('Task', { via: 'projectId' }))],
    ['a map', t.map(t.hasMany('Task', { via: 'projectId' }))],
    ['t.optional', t.optional(t.hasMany('Task', { via: 'projectId' }))],
    ['t.nullable', t.nullable(t.hasMany('Task', { via: 'projectId' }))],
    ['a raw schema', { hasMany: { model: 'Task', via: 'projectId' }, policy: { private: true } }],
  ])('within %s', (_where, field) => {
    expect(build({ box: field } as Fields)).toThrow(
      /`box(\.\*|\.tasks)?` is a `t.hasMany`, which stands by itself and directly in the `fields`/,
    );
  });

  it('that leads to several resources alike, if it is included', () => {
    const two = [
      { model: plain, path: 'a' },
      { model: plain, path: 'b' },
    ];
    expect(build(many({ via: 'projectId' }), two)).not.toThrow();
    expect(build(many({ via: 'projectId' }), two, ['tasks'])).toThrow(/choose by `resource` of `t.hasMany` among `a`, `b`/);
    expect(build(many({ via: 'projectId', resource: 'b' }), two, ['tasks'])).not.toThrow();
  });

  it('whose number is asked for relations', () => {
    expect(build(many({ via: 'projectId', count: true }), undefined, ['tasks.project'])).toThrow(
      /`tasks` of Project is a number, and has no relations/,
    );
  });

  it('also by compileIncludes alone', () => {
    const make = (via: string) => () => compileIncludes(Project(many({ via })), ['tasks'], { db, targets: [{ model: plain }] });
    expect(make('name')).toThrow(/is not a reference/);
    expect(make('secretId')).not.toThrow(); // nothing of it is shown
  });
});

describe('a mistake in `nested` is a configuration error', () => {
  const fields = {
    ...many({ via: 'projectId' }),
    taskCount: t.hasMany('Task', { via: 'projectId', count: true }),
    x: t.string(),
  } as Fields;
  const api =
    (resource: object, others: readonly object[] = [{ model: plain }], models: readonly unknown[] = []) =>
    () =>
      shop.api({
        db,
        resources: [{ model: Project(fields), ...resource }, ...others].map((one) => shop.resource(one as Any)),
        models: models as Any,
      });

  it.each<[rule: string, resource: object, message: RegExp]>([
    [
      'an unknown relation',
      { nested: ['task'] },
      /`nested` of resource `projects` names `task`, which is not a relation.*did you mean `tasks`/,
    ],
    ['a field', { nested: ['x'] }, /names `x`, which is not a relation of Project/],
    ['a number', { nested: ['taskCount'] }, /names `taskCount`, which is not a relation of Project by `t.hasMany` without `count`/],
    ['a relation twice', { nested: ['tasks', 'tasks'] }, /names `tasks` twice/],
    ['no list', { nested: 'tasks' }, /`nested` of resource `projects` must be an array of relations/],
    ['a resource that shows nothing', { nested: ['tasks'], ops: ['create'] }, /needs Get or List in `ops`/],
    [
      'an operation at the same path',
      { nested: ['tasks'], operations: { tasks: { handler: () => 1 } } },
      /`tasks` and `tasks.create` of resource `projects` are both POST `\/:id\/tasks`/,
    ],
    [
      'an operation of its name, at whatever path and method',
      { nested: ['tasks'], operations: { tasks: { method: 'PUT', path: '/:id/other', handler: () => 1 } } },
      /`nested` of resource `projects` names `tasks`, which is also the name of an operation in `operations`: give the operation another name/,
    ],
    [
      'an operation at a path with another parameter',
      { nested: ['tasks'], operations: { look: { method: 'PUT', path: '/:key/tasks', handler: () => 1 } } },
      /must be called `:id`/,
    ],
  ])('%s', (_rule, resource, message) => {
    expect(api(resource)).toThrow(ConfigurationError);
    expect(api(resource)).toThrow(message);
  });

  it('that leads to a model without a resource, or to a resource without List and Create', () => {
    expect(api({ nested: ['tasks'] }, [], [plain])).toThrow(/leads to Task, a model that no resource serves/);
    expect(api({ nested: ['tasks'] }, [{ model: plain, ops: ['get'] }])).toThrow(/resource `tasks` serves neither List, nor a Create/);
  });

  it('but not an operation with another method there', () => {
    expect(api({ nested: ['tasks'], operations: { drop: { method: 'DELETE', path: '/:id/tasks', handler: () => 1 } } })).not.toThrow();
  });
});

describe('a mistake in `links` is a configuration error', () => {
  const ref = t.ref('Task', { as: 'tasks' });
  const fields = {
    taskIds: t.array(ref),
    plain: t.array(t.ref('Task')),
    closed: t.array(t.ref('Task'), { policy: { update: false } }),
    fixed: t.array(t.ref('Task'), { immutable: true }),
    hidden: t.array(t.ref('Task'), { policy: { private: true } }),
    one: t.ref('Task'),
    box: t.object('Box', { inner: t.array(t.ref('Task')) }),
    deep: t.array(t.array(t.ref('Task'))),
    wrong: t.array(t.ref('Task', { id: t.string() })),
  };
  const api = (resource: object) => () =>
    shop.api({ db, resources: [{ model: Project(fields), ...resource }, { model: plain }].map((one) => shop.resource(one as Any)) });

  it.each<[rule: string, resource: object, message: RegExp]>([
    [
      'a misspelt relation',
      { links: ['task'] },
      /`links` of resource `projects` names `task`, which is not a relation.*did you mean `tasks`/,
    ],
    [
      'the field of a relation with another name',
      { links: ['taskIds'] },
      /names `taskIds`, which is not a relation of Project in an array/,
    ],
    ['one reference', { links: ['one'] }, /names `one`, which is not a relation of Project in an array/],
    ['an array of arrays', { links: ['deep'] }, /names `deep`, which is not/],
    [
      'an array in an object',
      { links: ['box.inner'] },
      /names `box.inner`, which is not a relation of Project in an array, outside of embedded/,
    ],
    ['a private array', { links: ['hidden'] }, /names `hidden`, which is not/],
    ['an array that clients may not update', { links: ['closed'] }, /but clients may not update `closed` of Project/],
    ['an immutable array', { links: ['fixed'] }, /but clients may not update `fixed`/],
    ['explicit writes', { links: ['plain'], explicitWrites: true }, /but clients may not update `plain`/],
    ['ids of another type', { links: ['wrong'] }, /names `wrong`: ids of Task are of type objectId, not string/],
    ['a resource without Patch', { links: ['plain'], ops: ['get'] }, /needs Patch in `ops`/],
    ['hooks before Patch', { links: ['plain'], before: { patch: [() => 1] } }, /cannot be served beside hooks of `before.patch`/],
    [
      'an operation at the same path',
      { links: ['plain'], operations: { put: { method: 'PUT', path: '/:id/plain/:other', handler: () => 1 } } },
      /has the name of a standard operation/,
    ],
    [
      'an operation whose parameter has another name',
      { links: ['plain'], operations: { look: { method: 'GET', path: '/:id/plain/:key', handler: () => 1 } } },
      /`look` and `plain.add` .* differ only in the names of parameters/,
    ],
  ])('%s', (_rule, resource, message) => {
    expect(api(resource)).toThrow(ConfigurationError);
    expect(api(resource)).toThrow(message);
  });

  it('but not a relation by its `as`, or by its field', () => {
    expect(api({ links: ['tasks', 'plain'] })).not.toThrow();
  });
});

describe('a mistake in a narrowed include is a configuration error', () => {
  const fields = {
    ...many({ via: 'projectId', max: 5 }),
    taskCount: t.hasMany('Task', { via: 'projectId', count: true, max: 9 }),
    boss: t.nullable(t.ref('Project')),
  };
  it.each<[mistake: string, entry: Any, message: RegExp]>([
    [
      'more than the model allows',
      { relation: 'tasks', max: 6 },
      /`max` of `include` of resource `projects` names `tasks`, which must be at most 5/,
    ],
    ['no whole number', { relation: 'tasks', max: 0 }, /`max`.*must be a whole number/],
    ['an unknown option', { relation: 'tasks', limit: 2 }, /`limit`/],
    ['no relation', { max: 2 }, /`relation`/],
    ['an unknown relation', { relation: 'task', max: 2 }, /`task` is not a relation of Project; did you mean `tasks`/],
    ['a reference', { relation: 'boss', max: 2 }, /names `boss`, and narrows it: only a relation by `t.hasMany` can be/],
    ['an order of a number', { relation: 'taskCount', sort: 'name' }, /with an order: a number has none/],
    ['a private field', { relation: 'tasks', sort: 'note' }, /`sort` of .* names `note`, which is not a single value of Task/],
    ['a private field to choose', { relation: 'tasks', sorts: ['note'] }, /`sorts` of .* names `note`, which is not a single value/],
    ['an array', { relation: 'tasks', sorts: ['words'] }, /`sorts` of .* names `words`/],
    ['a field twice', { relation: 'tasks', sort: 'name,-name' }, /names `name` twice/],
    ['an order twice', { relation: 'tasks', sorts: ['name', 'name'] }, /`sorts` of .* has `name` twice/],
    ['an order that is none', { relation: 'tasks', sorts: ['--name'] }, /`sorts`.*must be an array of orders/],
    ['what is no text', { relation: 'tasks', sort: ['name'] }, /`sort`.*must be names of fields/],
  ])('%s', (_mistake, entry, message) => {
    expect(build(fields as never, [{ model: plain }], [entry])).toThrow(ConfigurationError);
    expect(build(fields as never, [{ model: plain }], [entry])).toThrow(message);
  });

  it('two entries for one relation', () => {
    for (const include of [
      ['tasks', { relation: 'tasks', max: 2 }],
      [{ relation: 'tasks' }, { relation: 'tasks' }],
    ] as Any[])
      expect(build(fields as never, [{ model: plain }], include)).toThrow(/`include` of resource `projects` names `tasks` twice/);
  });

  it('a field with the name of the member that leads on to the list', () => {
    expect(build({ ...many({ via: 'projectId' }), tasks_list: t.string() })).toThrow(/adds a member `tasks_list`, which is already/);
  });

  it('none of these for what is right, whose objects it leaves as they are', () => {
    const entry = Object.freeze({ relation: 'tasks', max: 2, sort: '-name', sorts: Object.freeze(['name']) });
    expect(build(fields as never, [{ model: plain }], [entry] as Any)).not.toThrow();
  });
});
