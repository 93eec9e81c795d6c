import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

/** What the checks have been asked about: each object by its name. */
const asked: string[] = [];
const ask = ({ name }: { readonly name: string }): undefined => {
  asked.push(name);
};
const check = { check: ask };

const Leaf = t.object('Leaf', { name: t.string() }, check);
const Inner = t.object('Inner', { name: t.string(), leaf: t.optional(Leaf), leaves: t.array(Leaf, { default: [] }) }, check);
const Outer = t.object('Outer', { name: t.string(), inner: t.optional(Inner), byKey: t.map(t.map(Leaf), { default: {} }) }, check);
const closed = { shut: t.int({ default: 1, policy: { insert: false, update: false } }) };
const Guarded = t.object(
  'Guarded',
  { name: t.string(), inner: t.optional(Inner), leaves: t.array(Leaf, { default: [] }), ...closed },
  check,
);

const fields = {
  id: t.string({ policy: { insert: true } }),
  name: t.string(),
  outer: t.optional(Outer),
  list: t.array(Outer, { default: [] }),
};
const Open = defineModel('Open', { collection: 'things', fields: { ...fields, revision: t.revision() }, check: ask });
const Shut = defineModel('Shut', {
  collection: 'things',
  fields: { ...fields, guarded: t.optional(Guarded), ...closed, revision: t.revision() },
  check: ask,
});

const ops = ['get', 'create', 'patch', 'put'] as const;
const database = useDatabase();
const api = useApi(database, (shop) => [
  shop.resource({ model: Open, path: 'open', ops }),
  shop.resource({ model: Open, path: 'replacing', ops, mergePatch: false }),
  shop.resource({
    model: Shut,
    path: 'shut',
    ops,
    operations: {
      rename: {
        async handler(ctx) {
          const thing = await ctx.load();
          Object.assign(thing.outer?.inner ?? {}, { name: 'new' });
          thing.list = [{ name: 'item', byKey: {} }];
          return ctx.save(thing);
        },
      },
    },
  }),
]);
const things = () => database.db.collection<{ _id: string; [key: string]: unknown }>('things');

const inner = { name: 'inner', leaf: { name: 'leaf' }, leaves: [{ name: 'one' }, { name: 'two' }] };
const outer = { name: 'outer', inner, byKey: { 'a.b': { c: { name: 'x' } }, a: { 'b.c': { name: 'y' } } } };
const whole = { name: 'record', outer, list: [outer] };
const ofInner = ['inner', 'leaf', 'one', 'two'];
const ofOuter = ['outer', ...ofInner, 'x', 'y'];
const guarded = { name: 'guarded', inner, leaves: [{ name: 'three' }] };
const ofGuarded = ['guarded', ...ofInner, 'three'];

beforeEach(() => things().deleteMany({}));

describe('a check runs once per write and object', () => {
  it.each<[what: string, method: string, path: string, body: object, names: string[]]>([
    ['create', 'POST', 'open', { id: 'n', ...whole }, ['record', ...ofOuter, ...ofOuter]],
    ['create around closed values', 'POST', 'shut', { id: 'n', ...whole, guarded }, ['record', ...ofOuter, ...ofOuter, ...ofGuarded]],
    ['a merge', 'PATCH', 'open/t', { outer }, ofOuter],
    ['a merge of nested keys', 'PATCH', 'open/t', { outer: { inner } }, ofInner],
    ['a merge that names every field', 'PATCH', 'open/t', whole, ['record', ...ofOuter, ...ofOuter]],
    ['a replacing patch', 'PATCH', 'replacing/t', { outer }, ofOuter],
    ['a replacing patch that names every field', 'PATCH', 'replacing/t', whole, ['record', ...ofOuter, ...ofOuter]],
    ['a put', 'PUT', 'open/t', whole, ['record', ...ofOuter, ...ofOuter]],
    ['a put around closed values', 'PUT', 'shut/t', { ...whole, guarded }, ['record', ...ofOuter, ...ofOuter, ...ofGuarded]],
    ['a save', 'POST', 'shut/t/rename', {}, ['record', 'outer', 'new', 'item']],
  ])('in %s, whether the objects are there or not', async (_what, method, path, body, names) => {
    for (const stored of [{ outer, guarded }, {}]) {
      if (path.endsWith('rename') && !('outer' in stored)) continue;
      await things().deleteMany({});
      await things().insertOne({ _id: 't', name: 'record', ...structuredClone(stored), revision: 0 });
      asked.length = 0;
      const { status } = await api.request(method, `/api/${path}`, { body });
      expect([200, 201, path === 'open/t' ? 422 : 200]).toContain(status);
      expect([...asked].sort()).toEqual([...names].sort());
    }
  });
});
