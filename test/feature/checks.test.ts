import { defineModel, type Model, service, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { useServer } from '../support/http/serve.ts';

const inOrder = ({ from, to }: { readonly from: number; readonly to: number }) =>
  from <= to ? undefined : 'must not end before it begins';

const Span = t.object('Span', { from: t.int({ default: 0 }), to: t.int() }, { check: inOrder });
const Sealed = t.object(
  'Sealed',
  { low: t.int(), high: t.int(), cap: t.int({ default: 100, policy: { insert: false, update: false } }) },
  { check: ({ high, cap }) => (high > cap ? [{ field: 'high', message: `must be at most ${cap}` }] : undefined) },
);
const fields = {
  id: t.string({ policy: { insert: true } }),
  min: t.int(),
  max: t.int(),
  span: t.nullable(Span),
  spans: t.array(Span, { default: [] }),
  byName: t.map(Span, { default: {} }),
};
const Range = defineModel('Range', {
  collection: 'ranges',
  fields: { ...fields, revision: t.revision(), createdAt: t.createdAt() },
  check: ({ min, max }) => (min > max ? [{ field: 'min', message: 'must not be above max' }] : undefined),
});
const limited = { ...fields, limit: t.int({ default: 10, policy: { insert: false, update: false } }), sealed: t.nullable(Sealed) };
const withinLimit = ({ max, limit }: { readonly max: number; readonly limit: number }) =>
  max > limit ? `must stay within ${limit}` : undefined;
const Limited = defineModel('Limited', { collection: 'limited', fields: { ...limited, revision: t.revision() }, check: withinLimit });
const Bare = defineModel('Bare', { collection: 'bare', fields: limited, check: withinLimit });

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const ops = ['get', 'create', 'patch', 'put'] as const;
const api = useApi(database, (shop) => [
  shop.resource({ model: Range, ops }),
  shop.resource({ model: Range, ops, path: 'replacing', mergePatch: false }),
  shop.resource({ model: Limited, ops }),
  shop.resource({ model: Bare, ops }),
]);
const serve = useServer();
/** Serves one model at once, for tests that define their own. */
const serveModel = (model: Model, served: typeof ops | readonly ['create'] = ['create']) =>
  serve(
    service()
      .api({ db: database.db, resources: [service().resource({ model, ops: served })] })
      .routes(),
  );
const collection = (name: string) => database.db.collection<{ _id: string; [key: string]: unknown }>(name);

beforeEach(async () => {
  for (const name of ['ranges', 'limited', 'bare']) {
    await collection(name).deleteMany({});
    await collection(name).insertOne({ _id: 'r', min: 1, max: 2, limit: 10, revision: 0 });
  }
  commands.clear();
});

const spanError = (path: string) => ({ field: path, message: 'must not end before it begins' });
const secret = (field: string) => ({ field, message: 'is a secret' });
const writeOnly = { private: true, insert: true, update: true };
const minError = { field: 'min', message: 'must not be above max' };

describe('a check over several fields', () => {
  it.each<[string, method: string, path: string, body: object, errors: object[]]>([
    ['of the record runs on create', 'POST', 'ranges', { id: 'n', min: 3, max: 2 }, [minError]],
    ['of an embedded object runs on create', 'POST', 'ranges', { id: 'n', min: 1, max: 2, span: { from: 5, to: 4 } }, [spanError('span')]],
    [
      'runs on each item of a list and value of a map',
      'POST',
      'ranges',
      { id: 'n', min: 1, max: 2, spans: [{ to: 1 }, { to: -1 }], byName: { a: { to: -2 } } },
      [spanError('spans.1'), spanError('byName.a')],
    ],
    ['of the record runs on put', 'PUT', 'ranges/r', { min: 3, max: 2 }, [minError]],
    ['of an embedded object runs on put', 'PUT', 'ranges/r', { min: 1, max: 2, span: { to: -1 } }, [spanError('span')]],
    [
      'of the record runs on a patch that names every field',
      'PATCH',
      'ranges/r',
      { min: 3, max: 2, span: null, spans: [], byName: {} },
      [minError],
    ],
    ['of an embedded object runs on a merge that names every key', 'PATCH', 'ranges/r', { span: { from: 2, to: 1 } }, [spanError('span')]],
    ['runs on an embedded object that a merge creates', 'PATCH', 'ranges/r', { span: { to: -1 } }, [spanError('span')]],
    ['runs on an embedded object that a patch replaces', 'PATCH', 'replacing/r', { span: { to: -1 } }, [spanError('span')]],
    ['runs on a list that a patch replaces', 'PATCH', 'ranges/r', { spans: [{ to: -1 }] }, [spanError('spans.0')]],
  ])('%s', async (_rule, method, path, body, errors) => {
    const answer = await api.request(method, `/api/${path}`, { body });
    expect([answer.status, answer.body.errors]).toMatchObject([422, errors]);
    expect(await collection('ranges').countDocuments()).toBe(1);
    expect(await collection('ranges').findOne()).toEqual({ _id: 'r', min: 1, max: 2, limit: 10, revision: 0 });
  });

  it('does not run on a merge that leaves keys of an existing object as they are', async () => {
    await collection('ranges').updateOne({ _id: 'r' }, { $set: { span: { from: 0, to: 9 } } });
    const answer = await api.request('PATCH', '/api/ranges/r', { body: { min: 5, span: { to: -1 } } });
    expect([answer.status, answer.body.data.span]).toEqual([200, { from: 0, to: -1 }]);
  });

  it('waits until the fields are acceptable one by one', async () => {
    const { body } = await api.request('POST', '/api/ranges', { body: { id: 'n', min: 3, max: '2', span: { from: 'x', to: -1 } } });
    expect(body.errors.map(({ field }: { field: string }) => field)).toEqual(['max', 'span.from']);
  });

  it('sees the record without its id, revision and timestamps', async () => {
    let seen: unknown;
    const see = (value: unknown) => {
      seen = value;
      return undefined;
    };
    const Seen = defineModel('Seen', {
      collection: 'seen',
      fields: { a: t.decimal(), revision: t.revision(), createdAt: t.createdAt() },
      check: see,
    });
    const server = await serveModel(Seen);
    await server.request('POST', '/seen', { body: { a: '1.5' } });
    expect(Object.keys(seen as object)).toEqual(['a']);
    expect(String((seen as { a: unknown }).a)).toBe('1.5');
  });

  it('names no private field that clients do not write, whichever way they write', async () => {
    const Band = t.object(
      'Band',
      { from: t.int(), limit: t.int({ default: 5, policy: { private: true } }), key: t.optional(t.int({ policy: writeOnly })) },
      { check: ({ from, limit, key }) => (from > limit ? [secret('limit')] : key === 1 ? [secret('key')] : undefined) },
    );
    const Banded = defineModel('Banded', {
      collection: 'banded',
      fields: { id: t.string({ policy: { insert: true } }), band: Band, max: t.int({ default: 9, policy: { private: true } }) },
      check: ({ band, max }) => (band.from < -max ? [secret('max')] : undefined),
    });
    const server = await serveModel(Banded, ops);
    await collection('banded').insertOne({ _id: 'b', band: { from: 1, limit: 5 }, max: 9 });
    const refusals = async (band: object) => {
      const writes = [['POST', '/banded', { id: 'n', band }] as const, ['PUT', '/banded/b', { band }] as const];
      return Promise.all(writes.map(async ([method, path, body]) => (await server.request(method, path, { body })).body.errors));
    };
    const twice = (field: string, message: string) => [0, 1].map(() => [{ field, message, rule: 'check' }]);
    expect(await refusals({ from: 6 })).toEqual(twice('band', 'is not valid'));
    expect(await refusals({ from: -10 })).toEqual(twice('', 'is not valid'));
    expect(await refusals({ from: 1, key: 1 })).toEqual(twice('band.key', 'is a secret'));
  });

  it('names none in a map either, whatever its keys are, and tells once of many', async () => {
    const Lot = t.object('Lot', { size: t.int(), limit: t.int({ default: 5, policy: { private: true } }) });
    const Lots = defineModel('Lots', {
      collection: 'lots',
      fields: { id: t.string({ policy: { insert: true } }), lots: t.map(Lot), list: t.array(Lot, { default: [] }) },
      check: ({ lots }) =>
        Object.entries(lots).flatMap(([key, { size }]) =>
          ['limit', 'limit', ...(size < 0 ? ['size'] : [])].map((name) => secret(`lots.${key}.${name}`)),
        ),
    });
    const server = await serveModel(Lots);
    const errorsOf = async (lots: object) => (await server.request('POST', '/lots', { body: { id: 'n', lots } })).body.errors;
    const hidden = (field: string) => ({ field, message: 'is not valid', rule: 'check' });
    expect(await errorsOf({ a: { size: 1 }, 'a.b': { size: 1 } })).toEqual([hidden('lots.a'), hidden('lots.a.b')]);
    expect(await errorsOf({ 'a.limit': { size: -1 } })).toEqual([
      hidden('lots.a.limit'),
      { ...secret('lots.a.limit.size'), rule: 'check' },
    ]);
  });

  it('looks for the field of no more errors than an answer has, each of which may look through all keys of a map', async () => {
    const Many = defineModel('Many', {
      collection: 'many',
      fields: { id: t.string({ policy: { insert: true } }), byKey: t.map(t.int()) },
      check: ({ byKey }) => Object.keys(byKey).map((key) => secret(`byKey.${key}`)),
    });
    const server = await serveModel(Many);
    const byKey = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`key.${index}`, index]));
    const startsWith = jest.spyOn(String.prototype, 'startsWith');
    const { body } = await server.request('POST', '/many', { body: { id: 'n', byKey } });
    const calls = startsWith.mock.calls.length;
    startsWith.mockRestore();
    expect(body.errors).toHaveLength(100);
    expect(calls).toBeLessThan(200_000); // a million, if each error did
  });

  it('is not awaited: what is no sentence and no list is a bug of the deployer', async () => {
    const Async = defineModel('Async', { collection: 'async', fields: { a: t.int() }, check: (async () => undefined) as never });
    const server = await serveModel(Async);
    expect((await server.request('POST', '/async', { body: { a: 1 } })).status).toBe(500);
    expect(server.errors[0]?.message).toMatch(/must not be async/);
  });
});

describe('PUT of a model whose check needs values that the client may not write', () => {
  it.each(['limited', 'bare'])('checks the record as the write would leave it (%s)', async (path) => {
    await collection(path).updateOne({ _id: 'r' }, { $set: { limit: 5 } });
    const refused = await api.request('PUT', `/api/${path}/r`, { body: { min: 1, max: 6 } });
    expect([refused.status, refused.body.errors]).toMatchObject([422, [{ field: '', message: 'must stay within 5' }]]);
    const accepted = await api.request('PUT', `/api/${path}/r`, { body: { min: 1, max: 5 } });
    expect([accepted.status, accepted.body.data.max]).toEqual([200, 5]);
    expect(await collection(path).findOne()).toMatchObject({ limit: 5, max: 5 });
  });

  it('reads, checks, then writes: two commands, the only such case', async () => {
    await api.request('PUT', '/api/limited/r', { body: { min: 1, max: 6 } });
    expect(commands.names).toEqual(['find', 'findAndModify']);
    commands.clear();
    await api.request('PUT', '/api/ranges/r', { body: { min: 1, max: 6 } });
    expect(commands.names).toEqual(['findAndModify']);
  });

  it('checks an embedded object around its closed values, when the body names it', async () => {
    await collection('limited').updateOne({ _id: 'r' }, { $set: { sealed: { low: 1, high: 2, cap: 3 } } });
    const put = (sealed?: object) => api.request('PUT', '/api/limited/r', { body: { min: 1, max: 2, ...(sealed && { sealed }) } });
    expect((await put({ low: 1, high: 4 })).body.errors).toMatchObject([{ field: 'sealed.high', message: 'must be at most 3' }]);
    expect((await put({ low: 1, high: 3 })).body.data.sealed).toEqual({ low: 1, high: 3, cap: 3 });
    await collection('limited').updateOne({ _id: 'r' }, { $set: { 'sealed.high': 50 } });
    expect((await put()).status).toBe(200);
  });

  it.each(['limited', 'bare'])('writes only what it has checked: 30 puts against a moving limit (%s)', async (path) => {
    const writes = Array.from({ length: 30 }, async (_, index) => {
      const limit = index % 2 === 0 ? 2 : 10;
      await collection(path).updateOne({ _id: 'r', max: { $lte: limit } }, [{ $set: { limit, revision: { $add: ['$revision', 1] } } }]);
      return api.request('PUT', `/api/${path}/r`, { body: { min: 0, max: index % 3 === 0 ? 9 : 1 } });
    });
    for (const { status } of await Promise.all(writes)) expect([200, 422, 503]).toContain(status);
    const { max, limit } = (await collection(path).findOne()) as unknown as { max: number; limit: number };
    expect(max).toBeLessThanOrEqual(limit);
  });

  it('answers 404 and 412 before it checks', async () => {
    expect((await api.request('PUT', '/api/limited/none', { body: { min: 1, max: 99 } })).status).toBe(404);
    expect((await api.request('PUT', '/api/limited/r', { headers: { 'if-match': '"7"' }, body: { min: 1, max: 99 } })).status).toBe(412);
  });
});

describe('the definition of a check', () => {
  it.each<[string, () => unknown]>([
    ['`check` of a model', () => defineModel('A', { collection: 'a', fields: { a: t.int() }, check: true as never })],
    ['`check` of `o`', () => defineModel('A', { collection: 'a', fields: { o: t.object('O', { a: t.int() }, { check: 'x' as never }) } })],
  ])('must be a function: %s', async (message, define) => {
    await expect(async () => serveModel(define() as Model)).rejects.toThrow(`${message} must be a function`);
  });
});
