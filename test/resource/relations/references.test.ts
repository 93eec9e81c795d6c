import { MongoClient } from 'mongodb';
import { ConfigurationError, compileReferences, defineModel, insert, openStore, service, t } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import type { Any } from '../../support/any.ts';

const db = new MongoClient('mongodb://127.0.0.1:1').db(); // nothing is asked of it

const Project = defineModel('Project', { collection: 'projects', fields: { name: t.string() } });
const task = (projectId: Any, more: Any = {}) => defineModel('Task', { collection: 'tasks', fields: { projectId, ...more } });
const apiOf = (...models: Any[]) => {
  const shop = service();
  return shop.api({ db, resources: models.map((model: Any) => shop.resource({ model })) });
};
const messageOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as Error).message;
  }
  throw new Error('not refused');
};

describe('a definition of a checked reference is refused', () => {
  it.each<[string, Any, RegExp]>([
    ['an unknown action', t.ref('Project', { onDelete: 'drop' } as Any), /`onDelete` of the reference `projectId` must be one of cascade/],
    ['an `exists` that is no flag', t.ref('Project', { exists: 1 } as Any), /`exists` of the reference `projectId` must be true or false/],
    ['a contradiction', t.ref('Project', { exists: false, onDelete: 'cascade' }), /contradicts its `onDelete`/],
    [
      '`nullify` where there must be a value',
      t.ref('Project', { onDelete: 'nullify' }),
      /`projectId` of Task has `onDelete: 'nullify'` for its reference to Project, but there must be a value/,
    ],
    [
      'a default with `onDelete`',
      t.optional(t.ref('Project', { id: t.string(), onDelete: 'nullify', default: 'a' })),
      /`projectId` of Task has `onDelete: 'nullify'` .* Project, but a record without a value shows the id of its default/,
    ],
    [
      'a default of an array with `onDelete`',
      t.array(t.ref('Project', { id: t.string(), onDelete: 'pull' }), { default: ['a'] }),
      /but a record without a value shows the id of its default/,
    ],
    [
      'a default of an object around a reference with `onDelete`',
      t.object('Place', { at: t.ref('Project', { id: t.string(), onDelete: 'restrict' }) }, { default: { at: 'a' } as Any }),
      /`projectId\.at` of Task has `onDelete: 'restrict'` .* but a record without a value shows the id of its default/,
    ],
    [
      '`pull` of a single reference',
      t.ref('Project', { onDelete: 'pull' }),
      /`projectId` of Task has `onDelete: 'pull'` .* Project: `pull` removes items of an array/,
    ],
    ['`pull` below `minItems`', t.array(t.ref('Project', { onDelete: 'pull' }), { minItems: 1 }), /fewer items than `minItems`/],
    ['a map', t.map(t.ref('Project', { exists: true })), /`projectId\.\*` of Task has `exists: true` .* Project: a reference in a map/],
    ['an array of arrays', t.array(t.array(t.ref('Project', { onDelete: 'cascade' }))), /of Task has `onDelete: 'cascade'` .* Project/],
    [
      'an array of arrays of objects',
      t.array(t.array(t.object('Part', { projectId: t.ref('Project', { exists: true }) }))),
      /`projectId\.projectId` of Task has `exists: true`/,
    ],
    [
      'an unknown model',
      t.ref('Projekt', { exists: true }),
      /`projectId` of Task has `exists: true`, which leads to Projekt, a model that is not known/,
    ],
    [
      'ids of another type',
      t.ref('Project', { id: t.string(), exists: true }),
      /`projectId` of Task has `exists: true`: ids of Project are of type objectId, not string/,
    ],
  ])('%s', (_what, projectId, message) => {
    expect(messageOf(() => apiOf(task(projectId), Project))).toMatch(message);
  });

  it('with a function as its default that makes an id, or throws; no other default is asked', () => {
    const asked: string[] = [];
    const asks = (name: string, value: () => string) => () => {
      asked.push(name);
      return value();
    };
    const refusal = (make: () => unknown) => {
      const reference = t.ref('Project', { id: t.string(), onDelete: 'restrict', default: asks('reference', make as () => string) });
      return messageOf(() => compileModel(task(reference, { number: t.string({ default: asks('number', () => 'x') }) })));
    };
    expect(refusal(() => 'a')).toMatch(/shows the id of its default/);
    expect(refusal(() => 5)).toMatch(/The `default` of `projectId` of Task is asked once .* and has failed: .* must be a string\.$/);
    const throwing = () => {
      throw new Error('there is no request');
    };
    expect(refusal(throwing)).toMatch(/has failed: there is no request$/);
    expect(asked).toEqual(['reference', 'reference', 'reference']);
  });

  it('that leads to a model with a field under the key of the library', () => {
    const Other = defineModel('Project', { collection: 'projects', fields: { _references: t.int() } });
    expect(messageOf(() => apiOf(task(t.ref('Project', { onDelete: 'cascade' })), Other))).toMatch(
      /`projectId` of Task has `onDelete: 'cascade'`, and Project has a field stored as `_references`/,
    );
    expect(() => apiOf(task(t.ref('Project', { exists: true })), Other)).not.toThrow();
  });

  it('that closes a circle of required references, and not one that can be opened', () => {
    const circle = (lead: Any) => [
      defineModel('Project', { collection: 'projects', fields: { lead } }),
      defineModel('Task', { collection: 'tasks', fields: { projectId: t.ref('Project', { onDelete: 'restrict' }) } }),
    ];
    expect(messageOf(() => apiOf(...circle(t.ref('Task', { onDelete: 'restrict' }))))).toMatch(
      /require one another in a circle.*`lead` of Project to Task, `projectId` of Task to Project/,
    );
    expect(() => apiOf(...circle(t.nullable(t.ref('Task', { onDelete: 'restrict' }))))).not.toThrow();
    expect(() => apiOf(...circle(t.array(t.ref('Task', { onDelete: 'restrict' }))))).not.toThrow();
    expect(() =>
      apiOf(defineModel('Tree', { collection: 'trees', fields: { top: t.ref('Tree', { onDelete: 'restrict' }) } })),
    ).not.toThrow();
  });

  it('that says two things in two models of one collection', () => {
    const second = defineModel('Chore', { collection: 'tasks', fields: { projectId: t.ref('Project', { onDelete: 'restrict' }) } });
    const shop = service();
    const resources = [
      shop.resource({ model: Project }),
      shop.resource({ model: task(t.ref('Project', { onDelete: 'cascade' })) }),
      shop.resource({ model: second, path: 'chores' }),
    ];
    expect(messageOf(() => shop.api({ db, resources }))).toMatch(/'restrict'` in Chore and `onDelete: 'cascade'` in Task/);
  });
});

describe('a model with a checked reference', () => {
  const Task = task(t.ref('Project', { exists: true }));

  it('needs to know the other model, in a middleware and in a store with `models`', () => {
    const message = /`projectId` of Task has `exists: true` for its reference to Project, which cannot be checked here/;
    expect(messageOf(() => insert(Task, { db }))).toMatch(message);
    expect(messageOf(() => openStore(Task, { db, models: [] }))).toMatch(
      /leads to Project, a model that is not known here: add it to `models`/,
    );
    expect(() => openStore(Task, { db, models: [Project] })).not.toThrow();
    const references = compileReferences({ db, targets: [{ model: Project }, { model: Task }] });
    expect(() => insert(Task, { db, references })).not.toThrow();
    expect(messageOf(() => insert(Task, { db, references: {} as Any }))).toMatch(
      /`references` of `insert` must be what `compileReferences\(\)` returns/,
    );
  });

  it.each([-1, 1.5, 10_001, '5'])('has no `maxCascade` of %j', (maxCascade) => {
    const shop = service();
    expect(messageOf(() => shop.api({ db, resources: [], maxCascade: maxCascade as Any }))).toMatch(/`maxCascade` must be/);
  });

  it.each([-1, 1.5, 100_001, '5'])('has no `maxCleared` of %j', (maxCleared) => {
    const shop = service();
    expect(messageOf(() => shop.api({ db, resources: [], maxCleared: maxCleared as Any }))).toMatch(/`maxCleared` must be/);
    expect(messageOf(() => openStore(Project, { db, maxCleared: maxCleared as Any }))).toMatch(/`maxCleared` of `openStore` must be/);
    expect(messageOf(() => compileReferences({ db, targets: [], maxCleared: maxCleared as Any }))).toMatch(/`maxCleared` must be/);
  });
});
