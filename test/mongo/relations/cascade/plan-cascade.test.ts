import { defineModel, t } from '../../../../src/index.ts';
import { Work } from '../../../../src/mongo/driver/work.ts';
import { type CascadePlan, findRestricting, planCascade } from '../../../../src/mongo/relations/cascade/plan-cascade.ts';
import type { CascadeLimits, ReferenceEnd } from '../../../../src/mongo/relations/references.ts';
import { openMemory, type StoredOne } from '../memory.ts';

const to = (model: string, onDelete: string) => t.ref(model, { id: t.string(), onDelete } as never);
const define = (name: string, fields: object = {}, collection = name.toLowerCase()) =>
  defineModel(name, { collection, fields: { id: t.string(), ...fields } });

const models = [
  define('Customer', { friend: t.optional(to('Customer', 'cascade')) }),
  define('Order', { customer: t.optional(to('Customer', 'cascade')), main: t.optional(to('Line', 'cascade')) }),
  define('Line', { order: t.optional(to('Order', 'cascade')), pinned: t.optional(to('Customer', 'restrict')) }),
  define('Note', { order: t.nullable(to('Order', 'nullify')), lines: t.array(to('Line', 'pull')) }),
];
type Records = Readonly<Record<string, readonly StoredOne[]>>;

interface Given {
  readonly from?: string;
  readonly limits?: Partial<CascadeLimits>;
  /** Whether hooks see the notes that lose a reference. */
  readonly areSeen?: boolean;
}

async function plan(records: Records, ids: readonly string[], { from = 'Customer', limits = {}, areSeen = false }: Given = {}) {
  const memory = openMemory(models, records, limits);
  const isSeen = ({ model }: ReferenceEnd) => areSeen && model.name === 'Note';
  return { memory, plan: await planCascade(memory.references, memory.end(from).model, ids, new Work(), isSeen) };
}

/** A plan in short. */
function show({ gone, deleted, rewritten, restricting, exceeded }: CascadePlan): object {
  return {
    gone: Object.fromEntries([...gone].map(([collection, ids]) => [collection, [...ids.values()]])),
    deleted: deleted.map(({ edge, ids }) => `${edge.field.name}: ${ids.join(' ')}`),
    rewritten: rewritten.map(
      ({ holder, edges, ids }) => `${holder.model.name} ${[...edges].map(({ field }) => field.name)}: ${[...ids.values()].join(' ')}`,
    ),
    restricting: restricting.map(({ field }) => field.name),
    exceeded,
  };
}
const nothing = { deleted: [], rewritten: [], restricting: [], exceeded: undefined };

describe('planCascade()', () => {
  it('asks nothing if nothing is deleted', async () => {
    const { memory, plan: empty } = await plan({ order: [{ _id: 'o', customer: 'c' }] }, []);
    expect(show(empty)).toEqual({ ...nothing, gone: {} });
    expect(memory.asked).toEqual([]);
  });

  it('has only the records themselves if nothing refers to them', async () => {
    const { memory, plan: own } = await plan({ order: [{ _id: 'o', customer: 'other' }] }, ['c', 'd']);
    expect(show(own)).toEqual({ ...nothing, gone: { customer: ['c', 'd'] } });
    // One question for each reference: two of cascades, one of a restriction.
    expect(memory.asked.map(([, collection, path]) => `${collection}.${path}`)).toEqual([
      'customer.friend',
      'order.customer',
      'line.pinned',
    ]);
  });

  it('follows cascades to any depth, parents before their children', async () => {
    const { plan: deep } = await plan(
      {
        order: [{ _id: 'o', customer: 'c' }],
        line: [
          { _id: 'l', order: 'o' },
          { _id: 'm', order: 'o' },
          { _id: 'n', order: 'other' },
        ],
      },
      ['c'],
    );
    expect(show(deep)).toEqual({
      ...nothing,
      gone: { customer: ['c'], order: ['o'], line: ['l', 'm'] },
      deleted: ['customer: o', 'order: l m'],
    });
  });

  it('takes each record once, over circles and over two ways', async () => {
    const { plan: round } = await plan(
      {
        customer: [
          { _id: 'c', friend: 'd' },
          { _id: 'd', friend: 'c' },
          { _id: 'e', friend: 'c' },
        ],
        order: [
          { _id: 'o', customer: 'c', main: 'l' },
          { _id: 'p', main: 'l' },
        ],
        line: [{ _id: 'l', order: 'o' }],
      },
      ['c'],
    );
    expect(show(round)).toEqual({
      ...nothing,
      gone: { customer: ['c', 'd', 'e'], order: ['o', 'p'], line: ['l'] },
      deleted: ['friend: d e', 'customer: o', 'order: l', 'main: p'],
    });
  });

  it('is restricted only by records that stay', async () => {
    const records = { order: [{ _id: 'o', customer: 'c' }], line: [{ _id: 'l', order: 'o', pinned: 'c' }] };
    expect(show((await plan(records, ['c'])).plan)).toMatchObject({ restricting: [] });
    const staying = { ...records, line: [...records.line, { _id: 's', pinned: 'c' }] };
    expect(show((await plan(staying, ['c'])).plan)).toMatchObject({ restricting: ['pinned'], exceeded: undefined });
  });

  it('rewrites a record that stays once, whatever it loses, and none that goes', async () => {
    const { memory, plan: loss } = await plan(
      {
        line: [
          { _id: 'l', order: 'o' },
          { _id: 'm', order: 'o' },
        ],
        note: [
          { _id: 'n', order: 'o', lines: ['l', 'x'] },
          { _id: 'p', order: null, lines: ['m'] },
          { _id: 'q', order: 'x', lines: [] },
        ],
      },
      ['o'],
      { from: 'Order' },
    );
    expect(show(loss)).toEqual({
      ...nothing,
      gone: { order: ['o'], line: ['l', 'm'] },
      deleted: ['order: l m'],
      rewritten: ['Note order,lines: n p'],
    });
    expect(memory.asked.filter(([, collection]) => collection === 'note').map(([, , path, ids]) => [path, ids])).toEqual([
      ['order', ['o']],
      ['lines', ['l', 'm']],
    ]);
  });

  it('names no reference in a rewrite by which nothing is lost', async () => {
    const { plan: loss } = await plan({ line: [{ _id: 'l', order: 'o' }], note: [{ _id: 'n', order: 'o', lines: [] }] }, ['o'], {
      from: 'Order',
    });
    expect(show(loss)).toMatchObject({ rewritten: ['Note order: n'] });
    const { plan: none } = await plan({ note: [{ _id: 'n', order: null, lines: [] }] }, ['o'], { from: 'Order' });
    expect(show(none)).toMatchObject({ rewritten: [] });
  });
});

describe('findRestricting()', () => {
  const lines = ['l1', 'l2', 'l3', 'other'].map((_id) => ({ _id, pinned: _id === 'other' ? 'd' : 'c', tenant: _id === 'l2' ? 'b' : 'a' }));

  it.each([
    ['all of them', undefined, 10, ['l1', 'l2', 'l3']],
    ['those within the scope', { tenant: 'a' }, 10, ['l1', 'l3']],
    ['as many as are asked for', undefined, 2, ['l1', 'l2']],
  ])('finds the records that forbid a delete, and that it does not delete: %s', async (_what, scope, most, found) => {
    const { memory, plan: made } = await plan({ line: lines }, ['c']);
    const edge = memory.edge('Line', 'pinned');
    expect([...(await findRestricting(edge, made, { scope, most }, new Work())).values()]).toEqual(found);
  });

  it('finds none that refer to nothing that goes', async () => {
    const { memory, plan: made } = await plan({ line: lines }, ['e']);
    expect((await findRestricting(memory.edge('Line', 'pinned'), made, { scope: undefined, most: 10 }, new Work())).size).toBe(0);
    const empty = await plan({ line: lines }, []);
    expect((await findRestricting(memory.edge('Line', 'pinned'), empty.plan, { scope: undefined, most: 10 }, new Work())).size).toBe(0);
  });
});

describe('the limits of a delete', () => {
  const from = 'Order';
  const lines = (count: number) => Array.from({ length: count }, (_, n) => ({ _id: `l${n}`, order: 'o' }));
  const notes = (count: number, more: object = {}) =>
    Array.from({ length: count }, (_, n) => ({ _id: `n${n}`, order: 'o', lines: [], ...more }));
  const exceeded = async (records: Records, limits: Partial<CascadeLimits>, areSeen?: boolean) =>
    (await plan(records, ['o'], { from, limits, ...(areSeen === undefined ? {} : { areSeen }) })).plan.exceeded;

  it.each([
    [0, 0, undefined],
    [1, 0, 'maxCascade'],
    [3, 3, undefined],
    [4, 3, 'maxCascade'],
  ])('are `maxCascade` for what it deletes: %d records of %d: %s', async (count, maxCascade, limit) => {
    const { plan: own } = await plan({ line: lines(count) }, ['o'], { from, limits: { maxCascade, maxCleared: 0 } });
    expect(own.exceeded).toBe(limit);
    if (limit) expect(show(own)).toEqual({ ...nothing, gone: {}, exceeded: limit });
  });

  it.each([
    [0, 0, undefined],
    [1, 0, 'maxCleared'],
    [3, 3, undefined],
    [4, 3, 'maxCleared'],
  ])('are `maxCleared` for what loses a reference: %d records of %d: %s', async (count, maxCleared, limit) => {
    expect(await exceeded({ note: notes(count) }, { maxCascade: 0, maxCleared })).toBe(limit);
    expect(await exceeded({ note: notes(count) }, { maxCascade: 0, maxCleared }, false)).toBe(limit);
  });

  it('count what hooks see to `maxCascade`, together with what is deleted', async () => {
    const records = { line: lines(2), note: notes(2) };
    expect(await exceeded(records, { maxCascade: 4, maxCleared: 0 }, true)).toBeUndefined();
    expect(await exceeded(records, { maxCascade: 3 }, true)).toBe('maxCascade');
    expect(await exceeded(records, { maxCascade: 2, maxCleared: 2 })).toBeUndefined();
  });

  it('count a record that loses two references once', async () => {
    const records = { line: lines(1), note: notes(2, { lines: ['l0'] }) };
    expect(await exceeded(records, { maxCleared: 2 })).toBeUndefined();
    expect(await exceeded(records, { maxCleared: 1 })).toBe('maxCleared');
  });

  it('count over several steps', async () => {
    const records = { order: [{ _id: 'o', customer: 'c' }], line: lines(2) };
    expect((await plan(records, ['c'], { limits: { maxCascade: 3 } })).plan.exceeded).toBeUndefined();
    expect((await plan(records, ['c'], { limits: { maxCascade: 2 } })).plan.exceeded).toBe('maxCascade');
  });

  it('leave what restricts in the plan if too many would lose a reference', async () => {
    const records = { order: [{ _id: 'o', customer: 'c' }], line: [{ _id: 's', pinned: 'c' }], note: notes(2) };
    const own = (await plan(records, ['c'], { limits: { maxCleared: 1 } })).plan;
    expect(show(own)).toEqual({ ...nothing, gone: { customer: ['c'], order: ['o'] }, restricting: ['pinned'], exceeded: 'maxCleared' });
  });

  it('bound each question by what may still be touched, and what goes already', async () => {
    const records = { order: [{ _id: 'o', customer: 'c' }], line: lines(2), note: notes(1) };
    const { memory } = await plan(records, ['c'], { limits: { maxCascade: 10, maxCleared: 20 } });
    const limits = memory.asked.map(([, collection, path, , , limit]) => `${collection}.${path} ${limit}`);
    expect(limits).toEqual([
      'customer.friend 12', // ten others, one too many, and the one that goes
      'order.customer 11',
      'line.order 10',
      'order.main 9',
      'line.pinned 3',
      'note.order 21',
      'note.lines 21',
    ]);
  });
});
