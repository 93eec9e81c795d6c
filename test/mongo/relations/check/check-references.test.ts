import { setImmediate } from 'node:timers/promises';
import { Problem } from '../../../../src/errors.ts';
import { defineModel, t } from '../../../../src/index.ts';
import type { Changes } from '../../../../src/model/write/plan-changes.ts';
import type { Writer } from '../../../../src/mongo/collection/writer.ts';
import { Work } from '../../../../src/mongo/driver/work.ts';
import {
  askScopes,
  danglingIn,
  findMissing,
  isHeld,
  type Named,
  namedInChanges,
  namedInRecords,
  newIn,
  refusalOf,
  splitPlace,
} from '../../../../src/mongo/relations/check/check-references.ts';
import type { Holding, Parent } from '../../../../src/mongo/relations/check/latches/latches.ts';
import { openMemory } from '../memory.ts';

const to = (model: string, options: object) => t.optional(t.ref(model, { id: t.string(), ...options }));
const define = (name: string, fields: object = {}, collection = name.toLowerCase()) =>
  defineModel(name, { collection, fields: { id: t.string(), ...fields } });
const private_ = { policy: { private: true } };

const Task = define('Task', {
  project: to('Project', { onDelete: 'cascade' }),
  parent: to('Task', { exists: true }),
  labels: t.array(t.ref('Label', { id: t.string(), exists: true })),
  at: t.optional(t.object('At', { project: to('Project', { exists: true }) })),
  secret: to('Label', { exists: true, ...private_ }),
});
const projects = [
  { _id: 'p1', owner: 'ann' },
  { _id: 'p2', owner: 'bob' },
];
const labels = [{ _id: 'a' }, { _id: 'b' }];
const memory = openMemory([Task, define('Project'), define('Label')], { project: projects, label: labels });
const edges = memory.references.outgoing(memory.end('Task').model);
const edge = (field: string) => memory.edge('Task', field);

/** What is named, in short: the fields with their ids, and where these are. */
const show = (named: readonly Named[]) =>
  Object.fromEntries(
    named.map(({ edge: { field }, ids }) => [field.name, Object.fromEntries([...ids.values()].map(({ id, paths }) => [id, [...paths]]))]),
  );
const named = (ids: Readonly<Record<string, readonly string[]>>): Named[] =>
  Object.entries(ids).map(([field, some]) => ({
    edge: edge(field),
    ids: new Map(some.map((id) => [edge(field).field.leaf.toJson(id), { id, paths: new Set([field]) }])),
  }));
const changes = (assignments: Readonly<Record<string, unknown>>, embedded: Readonly<Record<string, unknown>> = {}): Changes => ({
  assignments: Object.entries(assignments).map(([path, value]) => ({ path, value })),
  embedded: Object.entries(embedded).map(([path, whole]) => ({ path, whole, refused: [] })),
});
const writer = (given: Partial<Writer> = {}): Writer => ({
  scopeOf: async () => ({}),
  mayWrite: () => true,
  mayName: () => true,
  ...given,
});

describe('the references of new records', () => {
  it('are named once for each id, with the places of all that name it', () => {
    const records = [
      { _id: 'r', project: 'p1', labels: ['a', 'b', 'a'], at: { project: 'p2' } },
      { _id: 's', project: 'p1', labels: [] },
    ];
    expect(show(namedInRecords(edges, records, { areOne: false }))).toEqual({
      project: { p1: ['0.project', '1.project'] },
      labels: { a: ['0.labels.0', '0.labels.2'], b: ['0.labels.1'] },
      'at.project': { p2: ['0.at.project'] },
    });
    expect(show(namedInRecords(edges, records.slice(0, 1), { areOne: true, arePlaced: false }))).toMatchObject({
      project: { p1: ['project'] },
    });
  });

  it.each([
    [true, {}],
    [false, { parent: { s: ['0.parent'], r: ['1.parent'] } }],
  ])('are none to one another, if the records are written together: %s', (areOne, expected) => {
    const records = [
      { _id: 'r', parent: 's' },
      { _id: 's', parent: 'r' },
    ];
    expect(show(namedInRecords(edges, records, { areOne }))).toEqual(expected);
  });

  it.each([true, false])('are none to the record itself, together %s, but others with the same id are', (areOne) => {
    expect(show(namedInRecords(edges, [{ _id: 'p1', parent: 'p1', project: 'p1' }], { areOne }))).toEqual({
      project: { p1: ['0.project'] },
    });
  });

  it('have places that can be divided', () => {
    expect(splitPlace('12.lines.0.project')).toEqual({ index: 12, rest: 'lines.0.project' });
  });
});

describe('the references of changes', () => {
  it('are named where they are set, also below a path, and in objects that may be created', () => {
    expect(show(namedInChanges(edges, changes({ project: 'p1', labels: ['a'], title: 'p9' }, { at: { project: 'p2' } })))).toEqual({
      project: { p1: ['project'] },
      labels: { a: ['labels.0'] },
      'at.project': { p2: ['at.project'] },
    });
    expect(show(namedInChanges(edges, changes({ at: { project: 'p1' }, project: null }, { at: undefined })))).toEqual({
      'at.project': { p1: ['at.project'] },
    });
  });

  it('are new if the record did not have them at the same field', async () => {
    const missing = named({ labels: ['x', 'y'], project: ['x'] });
    const set = changes({ labels: ['x', 'a', 'y'], project: 'x' });
    expect(show(await newIn(missing, set, { labels: ['x'] }, undefined))).toEqual({
      labels: { y: ['labels.2'] },
      project: { x: ['project'] },
    });
    expect(show(await newIn(missing, set, { labels: ['y', 'x'], project: 'x' }, undefined))).toEqual({});
  });

  it('are new in a private field, whatever the record has, unless the application writes', async () => {
    const [missing, set, stored] = [named({ secret: ['x'] }), changes({ secret: 'x' }), { secret: 'x' }];
    expect(show(await newIn(missing, set, stored, writer()))).toEqual({ secret: { x: ['secret'] } });
    expect(await newIn(missing, set, stored, undefined)).toEqual([]);
  });
});

describe('what a writer may name', () => {
  const asked: string[] = [];
  const scopeOf: Writer['scopeOf'] = async ({ model }) => {
    asked.push(model.name);
    return { owner: 'ann' };
  };
  const mayWrite = (name: string) => name === 'project';
  const ids = named({ project: ['p1'], labels: ['a'] });

  it.each<[string, Writer | undefined, object[], string[]]>([
    ['everything, for the application', undefined, [{}, {}], []],
    ['what it sees, in the fields that it may write', { scopeOf, mayWrite, mayName: mayWrite }, [{ owner: 'ann' }, {}], ['Project']],
    [
      'what it sees, in all fields, if the values of the server are bound',
      { scopeOf, mayWrite, mayName: mayWrite, boundsServer: true },
      [{ owner: 'ann' }, { owner: 'ann' }],
      ['Project', 'Label'],
    ],
  ])('is %s', async (_what, writer, scopes, sources) => {
    asked.length = 0;
    const found = await askScopes(ids, writer);
    expect(ids.map((one) => found.get(one.edge))).toEqual(scopes);
    expect(asked).toEqual(sources);
  });
});

describe('findMissing()', () => {
  const anywhere = {};
  /** `made` has the records whose first latch this transaction makes. */
  async function find(given: readonly Named[], { scope = anywhere as object, made = [] as readonly string[] } = {}) {
    memory.asked.length = 0;
    const keys = (parents: readonly Parent[]) => parents.map(({ key }) => key);
    const latches: Holding = {
      async hold(parents) {
        memory.asked.push(['latch', ...keys(parents)]);
        return new Set(made);
      },
      async discard(parents) {
        memory.asked.push(['discard', ...keys(parents)]);
      },
    };
    return show(await findMissing(given, new Map(given.map((one) => [one.edge, scope as never])), latches, new Work()));
  }

  it('finds what is not there', async () => {
    expect(await find(named({ labels: ['a', 'x', 'b', 'y'] }))).toEqual({ labels: { x: ['labels'], y: ['labels'] } });
    expect(await find(named({ labels: ['a', 'b'] }))).toEqual({});
    expect(await find([])).toEqual({});
    expect(memory.asked).toEqual([]);
  });

  it('finds what is not within the scope, and everything without a question if the writer may see nothing', async () => {
    expect(await find(named({ project: ['p1', 'p2'] }), { scope: { owner: 'ann' } })).toEqual({ project: { p2: ['project'] } });
    const none: Holding = { hold: async () => new Set(), discard: async () => undefined };
    memory.asked.length = 0;
    const one = named({ labels: ['a'] });
    expect(await findMissing(one, new Map(), none, new Work())).toEqual(one);
    expect(memory.asked).toEqual([]);
  });

  it('takes the latches of what has `onDelete`, before it looks for the records', async () => {
    expect(await find([...named({ labels: ['a'] }), ...named({ project: ['p1', 'x'] })])).toEqual({ project: { x: ['project'] } });
    expect(memory.asked).toEqual([
      ['latch', 'project "p1"', 'project "x"'],
      ['find', 'label', '_id', ['a'], anywhere, 1],
      ['find', 'project', '_id', ['p1', 'x'], anywhere, 2],
    ]);
  });

  it('takes no latch for what has `exists`', async () => {
    await find(named({ labels: ['a'] }));
    expect(memory.asked).toEqual([['find', 'label', '_id', ['a'], anywhere, 1]]);
    expect([isHeld(named({ project: [] })[0] as Named), isHeld(named({ labels: [] })[0] as Named)]).toEqual([true, false]);
  });

  it('looks for the records of one collection once, however many fields name them', async () => {
    expect(await find(named({ project: ['p1', 'x'], labels: ['a'], 'at.project': ['p2', 'x', 'y'] }))).toEqual({
      project: { x: ['project'] },
      'at.project': { x: ['at.project'], y: ['at.project'] },
    });
    expect(memory.asked.slice(1)).toEqual([
      ['find', 'project', '_id', ['p1', 'x', 'p2', 'y'], anywhere, 4],
      ['find', 'label', '_id', ['a'], anywhere, 1],
    ]);
  });

  it('looks in all collections at once, but in a transaction in one after the other', async () => {
    const order: string[] = [];
    const slow = ({ edge, ids }: Named): Named => ({
      ids,
      edge: {
        ...edge,
        target: {
          ...edge.target,
          collection: {
            async find() {
              order.push('begun');
              await setImmediate();
              order.push('ended');
              return [];
            },
          },
        } as never,
      },
    });
    const latches: Holding = { hold: async () => new Set(), discard: async () => undefined };
    const both = [...named({ project: ['p1'] }), ...named({ labels: ['a'] })].map(slow);
    const scopes = new Map(both.map(({ edge }) => [edge, anywhere]));
    await findMissing(both, scopes as never, latches, new Work());
    expect(order.splice(0)).toEqual(['begun', 'begun', 'ended', 'ended']);
    await findMissing(both, scopes as never, latches, Object.assign(new Work(), { transaction: {} }) as never);
    expect(order).toEqual(['begun', 'ended', 'begun', 'ended']);
  });

  it('looks for records in each scope of their own', async () => {
    const [one, other] = [...named({ project: ['p1'] }), ...named({ 'at.project': ['p1'] })] as [Named, Named];
    const scopes = new Map<Named['edge'], object>([
      [one.edge, { owner: 'ann' }],
      [other.edge, { owner: 'bob' }],
    ]);
    const latches: Holding = { hold: async () => new Set(), discard: async () => undefined };
    expect(show(await findMissing([one, other], scopes as never, latches, new Work()))).toEqual({ 'at.project': { p1: ['at.project'] } });
  });

  it('writes the records whose first latch it has made, which shows that they are there', async () => {
    const made = ['project "p1"', 'project "p2"'];
    expect(await find(named({ project: ['p1', 'p2'] }), { made })).toEqual({});
    expect(memory.asked.slice(1)).toEqual([['hold', 'project', '_id', ['p1', 'p2'], anywhere]]);
    expect(await find(named({ project: ['p1', 'p2'] }), { made: made.slice(1) })).toEqual({});
    expect(memory.asked.slice(1)).toEqual([
      ['hold', 'project', '_id', ['p2'], anywhere],
      ['find', 'project', '_id', ['p1', 'p2'], anywhere, 2],
    ]);
  });

  it('discards the latches that it has made for records that are not there, and no others', async () => {
    const made = ['project "p1"', 'project "x"'];
    expect(await find(named({ project: ['p1', 'x', 'y'] }), { made })).toEqual({ project: { x: ['project'], y: ['project'] } });
    expect(memory.asked.at(-1)).toEqual(['discard', 'project "x"']);
    await find(named({ project: ['p1', 'y'] }), { made });
    expect(memory.asked.map(([what]) => what)).not.toContain('discard');
  });

  it('gives the latches what writes into the record, if it is there', async () => {
    const touched: boolean[] = [];
    const latches: Holding = {
      async hold(parents) {
        for (const { touch } of parents) touched.push(await touch(new Work()));
        return new Set();
      },
      discard: async () => undefined,
    };
    await findMissing(named({ project: ['p1', 'x'] }), new Map(), latches, new Work());
    expect(touched).toEqual([true, false]);
  });
});

describe('the error of missing references', () => {
  const errorsOf = (error: Error) => (error instanceof Problem ? error.errors?.map(({ field }) => field) : undefined);
  const secret = named({ secret: ['x'] });

  it('is 422 with a path for each, and a rule', () => {
    const [one] = namedInRecords(edges, [{ _id: 'r', labels: ['x', 'y', 'x'] }], { areOne: false, arePlaced: false });
    const error = refusalOf([one as Named, ...named({ project: ['x'] })], writer());
    expect(error).toMatchObject({ code: 'validation_failed' });
    expect(errorsOf(error)).toEqual(['labels.0', 'labels.2', 'labels.1', 'project']);
    expect((error as Problem).errors?.[0]).toEqual({
      field: 'labels.0',
      rule: 'reference',
      message: 'must be the id of a record within your reach',
    });
  });

  it('has at most 100 paths', () => {
    const many = namedInRecords(edges, [{ _id: 'r', labels: Array.from({ length: 101 }, (_, n) => `x${n}`) }], { areOne: false });
    expect(errorsOf(refusalOf(many, writer()))).toHaveLength(100);
  });

  it('does not name what the client may not write, nor for the application what is private', () => {
    const mixed = [...secret, ...named({ project: ['x'] })];
    expect(errorsOf(refusalOf(mixed, writer({ mayWrite: (name) => name === 'project' })))).toEqual(['project']);
    expect(errorsOf(refusalOf(mixed, undefined))).toEqual(['project']);
    expect(errorsOf(refusalOf(secret, writer()))).toEqual(['secret']);
  });

  it('is the error of a mistake in the server if no request could be right', () => {
    const mine = refusalOf([...secret, ...named({ project: ['x'] })], writer({ mayWrite: () => false }));
    expect(mine).not.toBeInstanceOf(Problem);
    expect(mine.message).toBe('A write by the server itself refers to a record that is not there: `secret` of Task, `project` of Task.');
    expect(refusalOf(secret, undefined)).not.toBeInstanceOf(Problem);
  });

  it('is 404 if the path of the request names one of them', () => {
    const missing = [...named({ labels: ['x'] }), ...named({ project: ['x'] })];
    expect(refusalOf(missing, writer({ pathField: 'project' }))).toMatchObject({ code: 'not_found' });
    expect(refusalOf(missing, writer({ pathField: 'parent' }))).toMatchObject({ code: 'validation_failed' });
  });
});

describe('the error of a restore', () => {
  const { model } = memory.end('Task');
  const fieldsOf = async (names: readonly string[], of = model, client?: Writer) =>
    (await danglingIn(names.map(edge), of, client)).map(({ field }) => field);

  it('names each field once', async () => {
    expect(await fieldsOf(['project', 'at.project', 'project'])).toEqual(['project', 'at.project']);
  });

  it('names no field that is private, or that only another model of the collection has', async () => {
    expect(await fieldsOf(['secret'])).toEqual(['']);
    expect(await fieldsOf(['secret', 'project'], memory.end('Label').model)).toEqual(['']);
  });

  it('names no field that the client does not read', async () => {
    expect(await fieldsOf(['project', 'at.project'], model, writer({ reads: async (_model, name) => name !== 'project' }))).toEqual([
      '',
      'at.project',
    ]);
  });
});
