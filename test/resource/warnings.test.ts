import { defineModel, type Field, type ModelIndex, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';

const database = useDatabase();
const shop = service();
let told: string[] = [];

beforeEach(() => {
  told = [];
  jest.spyOn(process, 'emitWarning').mockImplementation((message, options) => {
    const { type, code } = options as { type: string; code: string };
    if (code !== 'UNSETTABLE_FIELD') told.push(`${type} ${code} ${String(message)}`); // of that: `model-warnings.test.ts`
  });
});
afterEach(() => {
  jest.restoreAllMocks();
});

const closed = { insert: false, update: false };
const serve = (fields: Record<string, Field>, resource: object, indexes: readonly ModelIndex[] = []) => {
  const model = defineModel('Doc', { collection: 'docs', fields, indexes: indexes as never });
  shop.api({ db: database.db, resources: [shop.resource({ model, ...resource } as never)] });
  return told;
};
const scoped = { scope: () => ({ owner: 'ann' }), scopeFields: ['owner'] };

describe('a resource with `scopeWrites: false`', () => {
  const unbound = { ...scoped, scopeWrites: false };

  it.each<[string, Field, object, boolean]>([
    ['on create', t.string(), {}, true],
    ['on create only', t.string({ immutable: true }), {}, true],
    ['on patch only', t.string({ policy: { insert: false } }), {}, true],
    ['private, but by insert', t.string({ policy: { private: true, insert: true } }), {}, true],
    ['not at all', t.string({ default: '', policy: closed }), {}, false],
    ['not at all, because it is private', t.string({ default: '', policy: { private: true } }), {}, false],
    ['on patch only, which is not served', t.string({ default: '', policy: { insert: false } }), { ops: ['list', 'get', 'create'] }, false],
    ['on create only, which is not served', t.string({ immutable: true }), { ops: ['list', 'put'] }, false],
    ['never, by explicitWrites', t.string({ default: '' }), { explicitWrites: true }, false],
    ['never: nothing is written', t.string(), { ops: ['list', 'get'] }, false],
  ])('warns at start where clients may write a field of its scope: %s', (_how, owner, options, warns) => {
    expect(serve({ owner, text: t.string() }, { ...unbound, ...options })).toEqual(
      warns ? [expect.stringMatching(/^KoaMongoResourceWarning SCOPE_WRITES Clients of resource `docs` may write owner, /)] : [],
    );
  });

  it('is what it takes: a scope that bounds writes warns of nothing', () => {
    expect(serve({ owner: t.string() }, scoped)).toEqual([]);
    expect(serve({ owner: t.string() }, { ...scoped, scopeWrites: true })).toEqual([]);
  });
});

describe('a resource whose `cacheControl` lets shared caches keep its answers', () => {
  const staff = t.string({ default: '', policy: { read: 'staff' } });
  const ruled = service({ authenticate: () => undefined, rules: { staff: () => true } } as never);
  const serveRuled = (cacheControl: string) => {
    const model = defineModel('Doc', { collection: 'docs', fields: { name: t.string(), margin: staff } });
    ruled.api({ db: database.db, resources: [ruled.resource({ model, cacheControl } as never)] });
    return told;
  };

  it.each([
    ['public, max-age=60', true],
    ['max-age=0,Public', true],
    ['s-maxage=60', true],
    ['private, max-age=60', false],
    ['no-store', false],
  ])('warns at start of %s where callers see different answers: %s', (cacheControl, warns) => {
    const expected = (why: string) =>
      warns ? [expect.stringContaining(`PUBLIC_CACHE The \`cacheControl\` of resource \`docs\` ${why}`)] : [];
    const lets = 'lets shared caches keep its answers, and';
    expect(serve({ owner: t.string() }, { ...scoped, cacheControl })).toEqual(expected(`${lets} it has a scope: `));
    told = [];
    expect(serveRuled(cacheControl)).toEqual(expected(`${lets} fields of Doc have read rules: `));
    told = [];
    expect(serve({ name: t.string() }, { cacheControl })).toEqual([]);
  });
});

describe('a resource with `scopeFields`', () => {
  const number = t.string({ unique: true });
  const plain = t.string();

  it.each<[string, Record<string, Field>, ModelIndex[], RegExp[]]>([
    ['a unique field', { owner: plain, number }, [], [/UNIQUE_ACROSS_SCOPES The unique index of number of Doc .* Put owner into it\.$/]],
    ['a unique field that is stored elsewhere', { owner: plain, a: t.string({ unique: true, stored: 'b' }) }, [], [/index of a of Doc/]],
    ['a unique index of several fields', { owner: plain, a: plain, b: plain }, [{ fields: ['a', '-b'], unique: true }], [/ a, b /]],
    ['one in full', { owner: plain, a: plain }, [{ key: { a: 1 }, unique: true }], [/ a of Doc/]],
    ['two of them', { owner: plain, a: number, b: number }, [], [/ a of/, / b of/]],
    ['none with a field of the scope', { owner: plain, a: plain }, [{ fields: ['a', 'owner'], unique: true }], []],
    ['none that is the field of the scope', { owner: number }, [], []],
    ['no plain index', { owner: plain, a: plain }, [{ fields: ['a'] }, { key: { a: 'hashed' } }], []],
    ['not the id', { id: t.string({ unique: true }), owner: plain }, [], []],
  ])('warns at start of a unique index that has none of them: %s', (_which, fields, indexes, messages) => {
    expect(serve(fields, scoped, indexes)).toEqual(messages.map((message) => expect.stringMatching(message)));
  });

  it('is what it takes: a resource without a scope, or that does not say what it compares, warns of nothing', () => {
    expect(serve({ owner: plain, number }, {})).toEqual([]);
    expect(serve({ owner: plain, number }, { scope: scoped.scope })).toEqual([]);
  });
});

describe('a relation to a resource that serves neither Get nor List', () => {
  const Secret = defineModel('Secret', { collection: 'secrets', fields: { text: t.string() } });
  const Doc = defineModel('Doc', { collection: 'docs', fields: { secret: t.ref('Secret') } });

  it.each<[string[], number]>([
    [['create'], 1],
    [[], 1],
    [['list'], 0],
    [['get', 'create'], 0],
  ])('warns at start where it is included and shows nothing: %j', (ops, count) => {
    const resources = [shop.resource({ model: Doc, include: ['secret'] }), shop.resource({ model: Secret, ops: ops as never })];
    shop.api({ db: database.db, resources });
    expect(told).toHaveLength(count);
    for (const one of told)
      expect(one).toMatch(
        /INCLUDE_SHOWS_NOTHING `include` of resource `docs` names the relation `secret` to a resource of Secret that serves neither Get nor List: it shows nothing/,
      );
  });

  it('warns at start where the list is filtered through it', () => {
    const Filtered = defineModel('Filtered', { collection: 'filtered', fields: { text: t.string({ policy: { filter: true } }) } });
    const Owner = defineModel('Owner', { collection: 'owners', fields: { filtered: t.ref('Filtered') } });
    const resources = [shop.resource({ model: Owner, through: ['filtered'] }), shop.resource({ model: Filtered, ops: ['create'] })];
    shop.api({ db: database.db, resources });
    expect(told).toEqual([expect.stringMatching(/THROUGH_SHOWS_NOTHING `through` of resource `owners` names the relation `filtered`/)]);
  });
});
