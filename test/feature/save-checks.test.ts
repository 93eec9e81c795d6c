import { type Document, defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const seen: unknown[] = [];
const Span = t.object(
  'Span',
  { from: t.int({ default: 0 }), to: t.int() },
  { check: ({ from, to }) => (from <= to ? undefined : 'must not end before it begins') },
);
const fields = {
  id: t.string(),
  min: t.int(),
  max: t.int(),
  note: t.optional(t.string()),
  span: t.nullable(Span),
  spans: t.array(Span, { default: [] }),
  limit: t.int({ default: 10, policy: { private: true } }),
};
const check = (range: { min: number; max: number; limit: number; note?: string }) => {
  seen.push(range);
  if (range.note === 'private') return [{ field: 'limit', message: 'must be higher' }];
  if (range.min > range.max) return [{ field: 'min', message: 'must not be above max' }];
  return range.max > range.limit ? 'must stay within its limit' : undefined;
};
const Range = defineModel('Range', { collection: 'ranges', fields: { ...fields, revision: t.revision() }, check });
const Bare = defineModel('Bare', { collection: 'ranges', fields, check });
type Range = Document<typeof Bare>;

const script: { change: (range: Range) => unknown } = { change: () => undefined };
const database = useDatabase();
const edit = {
  async handler(ctx: { load(): Promise<Range>; save(range: Range): Promise<unknown> }) {
    const range = await ctx.load();
    await script.change(range);
    return ctx.save(range);
  },
};
const api = useApi(database, (shop) => [
  shop.resource({ model: Range, operations: { edit: edit as never } }),
  shop.resource({ model: Bare, path: 'bare', operations: { edit: edit as never } }),
]);
const ranges = () => database.db.collection<{ _id: string; [key: string]: unknown }>('ranges');
const stored = { _id: 'a', min: 1, max: 2, span: { from: 1, to: 2 }, limit: 10, revision: 3 };

beforeEach(async () => {
  await ranges().deleteMany({});
  await ranges().insertOne({ ...stored });
  seen.length = 0;
  api.errors.length = 0;
});

async function run(path: string, change: (range: Range) => unknown) {
  script.change = change;
  return api.request('POST', `/api/${path}/a/edit`);
}

describe.each(['ranges', 'bare'])('ctx.save() and the checks over several fields (%s)', (path) => {
  it.each([[stored.span], [null]])('fill in the defaults of an embedded object that takes the place of %j', async (span) => {
    await ranges().updateOne({ _id: 'a' }, { $set: { span } });
    const { status, body } = await run(path, (range) => Object.assign(range, { span: { to: 2 } }));
    expect([status, body.data.span]).toEqual([200, { from: 0, to: 2 }]);
  });

  it.each<[string, (range: Range) => unknown, object]>([
    [
      'a value against one that did not change',
      (range) => Object.assign(range, { min: 3 }),
      { field: 'min', message: 'must not be above max' },
    ],
    ['a value against a private one', (range) => Object.assign(range, { max: 11 }), { field: '', message: 'must stay within its limit' }],
    [
      'a key of an embedded object',
      (range) => Object.assign(range.span ?? {}, { to: 0 }),
      { field: 'span', message: 'must not end before it begins' },
    ],
    [
      'an embedded object that is new',
      (range) => range.spans.push({ from: 2, to: 1 }),
      { field: 'spans.0', message: 'must not end before it begins' },
    ],
  ])('is 422 as on create, and writes nothing: %s', async (_what, change, error) => {
    const { status, body } = await run(path, change);
    expect([status, body.errors]).toMatchObject([422, [error]]);
    expect(await ranges().findOne()).toEqual(stored);
    expect(api.errors).toEqual([]);
  });

  it('shows the check the record as it would be stored, without its id and revision', async () => {
    expect((await run(path, (range) => Object.assign(range, { max: 5, note: 'n' }))).status).toBe(200);
    expect(seen).toEqual([{ min: 1, max: 5, note: 'n', span: { from: 1, to: 2 }, spans: [], limit: 10 }]);
  });

  it('does not ask about objects in which nothing has changed, nor where nothing has', async () => {
    await ranges().updateOne({ _id: 'a' }, { $set: { 'span.to': 0 } });
    expect((await run(path, (range) => Object.assign(range, { max: 5 }))).status).toBe(200);
    await ranges().updateOne({ _id: 'a' }, { $set: { min: 9 } });
    seen.length = 0;
    expect((await run(path, () => undefined)).status).toBe(200);
    expect(seen).toEqual([]);
  });

  it('asks only where each value fits', async () => {
    const { body } = await run(path, (range) => Object.assign(range, { min: 3, max: 'x' }));
    expect(body.errors).toMatchObject([{ field: 'max', message: 'must be an integer' }]);
    expect(seen).toEqual([]);
  });

  it('is a bare 500 where the check speaks of a private field', async () => {
    const { status, text } = await run(path, (range) => Object.assign(range, { note: 'private' }));
    expect([status, text.includes('limit')]).toEqual([500, false]);
    expect(api.errors[0]?.message).toContain('`limit` must be higher');
  });

  it('writes only what it has checked: 412 where a value that the check saw has changed since', async () => {
    const { status } = await run(path, async (range) => {
      await ranges().updateOne({ _id: 'a' }, { $set: { limit: 4, revision: 4 } });
      Object.assign(range, { max: 5 });
    });
    expect(status).toBe(412);
    expect(await ranges().findOne()).toMatchObject({ max: 2, limit: 4 });
  });
});
