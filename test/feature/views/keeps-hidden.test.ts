import { defineModel, service, t } from '../../../src/index.ts';
import { useDatabase } from '../../support/database/database.ts';
import { type TestServer, useServer } from '../../support/http/serve.ts';

const Part = t.object('Part', { name: t.string(), cost: t.optional(t.string({ policy: { read: 'staff' } })) });
const Range = t.object(
  'Range',
  {
    from: t.int(),
    to: t.int({ default: 9, policy: { update: false } }),
    limit: t.optional(t.int({ policy: { read: 'staff' } })),
  },
  { check: ({ from, limit }) => (limit !== undefined && from > limit ? [{ field: 'limit', message: 'is below `from`' }] : undefined) },
);
const Thing = defineModel('Thing', {
  collection: 'things',
  fields: {
    id: t.string({ policy: { insert: true } }),
    title: t.string({ default: 'untitled', policy: { filter: true } }),
    part: t.nullable(Part),
    parts: t.array(Part, { default: [] }),
    byKey: t.map(Part, { default: {} }),
    range: t.optional(Range),
    note: t.optional(t.string({ policy: { read: 'staff' } })),
    drop: t.optional(t.string({ policy: { read: 'staff', insert: 'clerk', update: 'clerk' } })),
    revision: t.revision(),
  },
});

type Stored = Record<string, unknown> & { readonly _id: string };

const database = useDatabase();
const things = () => database.db.collection<Stored>('things');
const serve = useServer();
let merging: TestServer;
let replacing: TestServer;
const stored = {
  title: 'one',
  part: { name: 'p', cost: 'hidden' },
  parts: [{ name: 'p', cost: 'hidden' }],
  byKey: { a: { name: 'p', cost: 'hidden' } },
  range: { from: 1, to: 5, limit: 7 },
  note: 'hidden',
  drop: 'hidden',
};

beforeAll(async () => {
  const define = (mergePatch: boolean) => {
    const shop = service({
      authenticate: (ctx) => ctx.get('authorization'),
      rules: { staff: (name) => name === 'staff', clerk: (name) => name === 'clerk' },
    });
    const ops = ['list', 'get', 'create', 'patch', 'put', 'patchMany'] as const;
    return shop.api({ db: database.db, resources: [shop.resource({ model: Thing, ops, mergePatch })] });
  };
  merging = await serve(define(true).routes());
  replacing = await serve(define(false).routes());
});

beforeEach(async () => {
  await things().deleteMany({});
  await things().insertOne({ _id: 'a', ...stored, revision: 0 });
});

async function write(server: TestServer, method: string, body: object, authorization = 'anna') {
  const answer = await server.request(method, '/things/a', { body, headers: { authorization } });
  const { _id, revision, ...now } = (await things().findOne({})) ?? ({} as Stored);
  return { status: answer.status, errors: answer.body?.errors, now };
}

const refused = (field: string, rule: string) => [expect.objectContaining({ field, rule })];

describe.each([
  ['a PUT', () => merging, 'PUT'],
  ['a PATCH that replaces', () => replacing, 'PATCH'],
] as const)('%s', (_name, server, method) => {
  it('keeps what the caller cannot see of an object that it replaces', async () => {
    const { status, now } = await write(server(), method, { title: 'two', part: { name: 'q' } });
    expect([status, now.part]).toEqual([200, { name: 'q', cost: 'hidden' }]);
    expect(now.note).toBe('hidden');
  });

  it('does not clear an object that holds what the caller cannot see', async () => {
    const { status, errors, now } = await write(server(), method, { title: 'two', part: null });
    expect([status, errors, now]).toEqual([422, refused('part', 'not_clearable'), stored]);
  });

  it.each([
    ['an array', { parts: [] }, 'parts'],
    ['a map', { byKey: {} }, 'byKey'],
  ])('does not replace %s that holds what the caller cannot see', async (_what, body, field) => {
    const { status, errors, now } = await write(server(), method, { title: 'two', ...body });
    expect([status, errors, now]).toEqual([422, refused(field, 'not_replaceable'), stored]);
  });

  it('replaces all of it for a caller who sees everything', async () => {
    const body = { title: 'two', part: null, parts: [{ name: 'new' }], byKey: {} };
    const { status, now } = await write(server(), method, body, 'staff');
    expect(status).toBe(200);
    expect(now).toMatchObject({ title: 'two', parts: [{ name: 'new' }], byKey: {} });
    expect(now.part).toBeUndefined();
  });

  it('runs the check of an object with what it keeps, and does not name it', async () => {
    const { status, errors, now } = await write(server(), method, { title: 'two', range: { from: 8 } });
    expect([status, errors, now]).toEqual([422, [{ field: 'range', message: 'is not valid', rule: 'check' }], stored]);
    const seen = await write(server(), method, { title: 'two', range: { from: 8, limit: 7 } }, 'staff');
    expect([seen.status, seen.errors]).toEqual([422, [{ field: 'range.limit', message: 'is below `from`', rule: 'check' }]]);
  });
});

describe('a PATCH that replaces', () => {
  it('returns closed values that the caller sees to their defaults, beside those that it keeps', async () => {
    const { status, now } = await write(replacing, 'PATCH', { range: { from: 2 } });
    expect([status, now.range]).toEqual([200, { from: 2, to: 9, limit: 7 }]);
  });
});

describe('a PATCH of many that replaces', () => {
  const change = async (range: object, authorization = 'anna') => {
    const { status, body } = await replacing.request('PATCH', '/things?title=one', { body: { range }, headers: { authorization } });
    return [status, body.errors ?? body.data];
  };

  it('runs the check of an object with what each record keeps, and writes nothing if one of them does not pass', async () => {
    await things().insertOne({ _id: 'b', ...stored, range: { from: 1, to: 5, limit: 9 }, revision: 0 });
    expect(await change({ from: 8 })).toEqual([422, [{ field: 'a.range', message: 'is not valid', rule: 'check' }]]);
    expect(await things().distinct('range.from')).toEqual([1]);
    expect(await change({ from: 6 })).toEqual([200, { matched: 2, modified: 2 }]);
    expect(await things().distinct('range.limit', { 'range.from': 6 })).toEqual([7, 9]);
  });

  it('creates the object where a record has none', async () => {
    await things().updateOne({ _id: 'a' }, { $unset: { range: 1 } });
    expect(await change({ from: 8 })).toEqual([200, { matched: 1, modified: 1 }]);
    expect(await things().findOne({})).toMatchObject({ range: { from: 8, to: 9 } });
  });

  it('names no more than 20 records', async () => {
    await things().insertMany(Array.from({ length: 30 }, (_, at) => ({ _id: `b${at}`, ...stored, revision: 0 })));
    const [status, errors] = await change({ from: 8 });
    expect([status, errors.length]).toEqual([422, 20]);
  });
});

describe('a PATCH that merges', () => {
  it('leaves what the caller cannot see', async () => {
    const { status, now } = await write(merging, 'PATCH', { title: 'two', part: { name: 'q' }, range: { from: 3 } });
    expect([status, now]).toEqual([
      200,
      { ...stored, title: 'two', part: { name: 'q', cost: 'hidden' }, range: { from: 3, to: 5, limit: 7 } },
    ]);
  });
});

describe('a field that a caller may write and not read', () => {
  it('is written, and not shown', async () => {
    const answer = await merging.request('PATCH', '/things/a', { body: { drop: 'new' }, headers: { authorization: 'clerk' } });
    expect([answer.status, 'drop' in answer.body.data]).toEqual([200, false]);
    expect(await things().findOne({})).toMatchObject({ drop: 'new', note: 'hidden' });
  });

  it('does not exist for a caller for whom the rule does not hold', async () => {
    const { status, errors } = await write(merging, 'PATCH', { drop: 'new' });
    expect([status, errors]).toEqual([422, refused('drop', 'unknown_field')]);
  });

  it('is closed, and not unknown, for a caller who reads it', async () => {
    const { status, errors } = await write(merging, 'PATCH', { drop: 'new' }, 'staff');
    expect([status, errors]).toEqual([422, refused('drop', 'not_writable')]);
  });
});
