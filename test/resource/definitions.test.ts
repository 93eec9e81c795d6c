import { ConfigurationError, cursorPaging, defineModel, service, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';

const Doc = defineModel('Doc', { collection: 'docs', fields: { text: t.string(), revision: t.revision() } });
const database = useDatabase();
const shop = service();

const build =
  (resource: object, api: object = {}) =>
  () =>
    shop.api({ db: database.db, resources: [shop.resource({ model: Doc, ...resource } as never)], ...api } as never);
const fieldsNamed = (name: string, filter: unknown) =>
  defineModel('Bad', { collection: 'bad', fields: { [name]: t.string({ policy: { filter: filter as true } }) } });

describe('a mistake in a resource is a configuration error when the routes are built', () => {
  it.each<[rule: string, resource: object, message: RegExp]>([
    ['an unknown option', { guard: [] }, /`guard` is not an option of resource `docs`; did you mean `guards`\?/],
    ['an unknown option without a near miss', { colour: 1 }, /`colour` is not an option of resource `docs`\. Allowed: model, /],
    ['an unknown operation', { ops: ['gett'] }, /`gett` is not an operation in `ops` of resource `docs`; did you mean `get`\?/],
    [
      'an operation that is no name',
      { ops: ['get', undefined] },
      /`undefined` is not an operation in `ops` of resource `docs`\. Allowed: list, /,
    ],
    ['a guard that is an object', { guards: [Object.create(null)] }, /`guards` .* it has `\[Object: null prototype\] {}`/],
    [
      'problems that are null',
      { operations: { send: { handler: () => 1, problems: null } } },
      /`problems` of .* must be an array of codes/,
    ],
    ['ops that are no list', { ops: 'get' }, /`ops` of resource `docs` must be an array/],
    [
      'a hook for Put where it is not listed',
      { after: { put: [] } },
      /`put` is not an operation in `after` .* Allowed: list, get, create, patch, delete, read, write, change, remove\./,
    ],
    ['a guard of a name that every object has', { guardsFor: { constructor: [] } }, /`constructor` is not an operation in `guardsFor`/],
    ['a relation to include that there is none of', { include: ['nobody'] }, /`include` .* `nobody` is not a relation of Doc/],
    ['a guard for an operation without one', { guardsFor: { put: [] } }, /`put` is not an operation in `guardsFor`/],
    ['a hook for a misspelt operation', { after: { creat: [] } }, /`creat` .*did you mean `create`\?/],
    ['a scope that is undefined by mistake', { scope: undefined }, /`scope` .*function.*left out/],
    ['a scope that is null', { scope: null }, /`scope`/],
    ['a scope that is a filter', { scope: { text: 'x' } }, /`scope`/],
    ['guards that are undefined by mistake', { guards: undefined }, /`guards`/],
    ['a guard alone', { guards: () => true }, /`guards`/],
    ['a guard that is undefined by mistake', { guards: [undefined] }, /`guards`/],
    ['guards of an operation that are undefined by mistake', { guardsFor: { delete: undefined } }, /`guardsFor`/],
    ['a guard of an operation alone', { guardsFor: { delete: () => true } }, /`guardsFor`/],
    ['hooks that are no list', { after: { create: () => true } }, /`after`/],
    [
      'a hook that is none',
      { after: { create: ['mail'] } },
      /`after.create` of resource `docs` must be an array of functions; it has `'mail'`/,
    ],
    [
      'hooks before an operation that are no list',
      { before: { create: () => true } },
      /`before` of resource `docs` must be an object with an array/,
    ],
    ['a hook before a misspelt operation', { before: { creat: [] } }, /`creat` is not an operation in `before` .*did you mean `create`\?/],
    [
      'a hook before an operation that writes nothing',
      { before: { list: [] } },
      /`list` is not an operation in `before` of resource `docs`.* Allowed: create, patch, delete, write, change, remove\./,
    ],
    [
      'a hook before a custom operation that only reads',
      { before: { total: [] }, operations: { total: { method: 'GET', handler: () => 1 } } },
      /`total` is not an operation in `before`/,
    ],
    [
      'the group of changes for a custom operation that only reads',
      { operations: { total: { method: 'GET', group: 'change', handler: () => 1 } } },
      /`group` of `operations.total` of resource `docs` can only be `'read'`: a GET changes nothing/,
    ],
    [
      'an unknown group',
      { operations: { send: { group: 'update', handler: () => 1 } } },
      /`group` of `operations.send` of resource `docs` must be one of read, write, change, remove/,
    ],
    [
      'hooks in the transaction of a group with an operation that has no handler',
      { within: { change: [() => 1] }, operations: { send: { group: 'change', use: [async () => {}] } } },
      /`operations.send` of resource `docs` has the group `change`, for which `within` has hooks: it needs a `handler`/,
    ],
    ['a hook before Put where it is not listed', { before: { put: [] } }, /`put` is not an operation in `before`/],
    ['a hook before an operation that is none', { before: { patch: ['hash'] } }, /`before.patch` .* array of functions; it has `'hash'`/],
    [
      'a hook before an operation with an unknown code',
      { before: { patch: [Object.assign(() => 1, { problems: ['forbiden'] })] } },
      /a hook in `before.patch` of resource `docs`.*did you mean `forbidden`/,
    ],
    [
      'a hook within a list, which writes nothing',
      { within: { list: [] } },
      /`list` is not an operation in `within` of resource `docs`\. Allowed: create, patch, delete, write, change, remove\./,
    ],
    ['a hook within that is none', { within: { create: ['audit'] } }, /`within.create` of resource `docs` must be an array of functions/],
    ['hooks within that are no list', { within: { create: () => true } }, /`within`/],
    ['a guard that is none', { guards: [1] }, /`guards` of resource `docs` must be an array of functions; it has `1`/],
    ['a guard of an operation that is none', { guardsFor: { get: [() => true, null] } }, /`guardsFor.get` of resource `docs` .* `null`/],
    ['a path that clients resolve', { path: '..' }, /`path`/],
    ['a path that is no text', { path: 5 }, /`path`/],
    [
      'server fields of a misspelt operation',
      { serverFields: { text: 'x' } },
      /`text` is not an option of `serverFields` of resource `docs`\. Allowed: create, update/,
    ],
    ['server fields that are no function', { serverFields: 'x' }, /`serverFields` of resource `docs` must be a function, or an object of/],
    [
      'server fields of update that are no function',
      { serverFields: { update: {} } },
      /`update` of `serverFields` of resource `docs` must be a function/,
    ],
    ['scope fields without a scope', { scopeFields: ['text'] }, /`scopeFields` of resource `docs` needs a `scope`/],
    ['scopeWrites without a scope', { scopeWrites: false }, /`scopeWrites` of resource `docs` needs a `scope`/],
    ['scopeWrites that is no boolean', { scope: () => ({}), scopeWrites: 1 }, /`scopeWrites` .*true or false/],
    ['scope fields that are no list', { scope: () => ({}), scopeFields: 'text' }, /`scopeFields` .*array of field names/],
    [
      'an unknown scope field',
      { scope: () => ({}), scopeFields: ['txet'] },
      /`txet` is not a field of Doc, in `scopeFields`.*did you mean `text`\?/,
    ],
    ['a scope field twice', { scope: () => ({}), scopeFields: ['text', 'text'] }, /names a field twice/],
    ['explicitWrites that is no boolean', { explicitWrites: 'yes' }, /`explicitWrites` .*true or false/],
    ['mergePatch that is no boolean', { mergePatch: 0 }, /`mergePatch`/],
    ['preconditionRequired that is no boolean', { preconditionRequired: 1 }, /`preconditionRequired`/],
    [
      'maxAffected that is too large',
      { maxAffected: 1e6 },
      /`maxAffected` of resource `docs` must be a whole number of records from 1 to 100000/,
    ],
    [
      'patchMany without a field to filter by',
      { ops: ['patchMany'] },
      /`ops` of resource `docs` has `patchMany`, which requires a filter, but no field of Doc can be filtered/,
    ],
    [
      'a filter that the query string of deleteMany uses itself',
      { model: fieldsNamed('max_affected', true), ops: ['deleteMany'] },
      /`policy.filter` of `max_affected` in Bad cannot have `eq`/,
    ],
    [
      'paging that is none',
      { paging: { max: 5 } },
      /`paging` of resource `docs` must be what `cursorPaging\(\)` or `offsetPaging\(\)` returns/,
    ],
    ['a path of two segments', { path: 'a/b' }, /`path`/],
    ['an empty path', { path: '' }, /`path`/],
    ['a path that would have to be encoded', { path: 'ä' }, /`path`/],
    ['no model', { model: undefined }, /`model`/],
    ['a model that is none', { model: { name: 'Doc' } }, /`model`/],
  ])('%s', (_rule, resource, message) => {
    expect(build(resource)).toThrow(ConfigurationError);
    expect(build(resource)).toThrow(message);
  });

  it('scope fields of two lists, which one index cannot hold', () => {
    const fields = { text: t.string(), a: t.array(t.string()), b: t.array(t.string()) };
    const model = defineModel('Bad', { collection: 'bad', fields });
    expect(build({ model, scope: () => ({}), scopeFields: ['a', 'text', 'b'] })).toThrow(/names two fields with arrays, .* leave out `b`/);
  });

  it.each(['limit', 'sort', 'page', 'after', 'before', 'include', 'total', 'fields'])(
    'a field that is filtered by a bare name which lists use themselves: %s',
    (name) => {
      expect(build({ model: fieldsNamed(name, ['eq']) })).toThrow(ConfigurationError);
      expect(build({ model: fieldsNamed(name, true) })).toThrow(new RegExp(`\`${name}\``));
      expect(build({ model: fieldsNamed(name, ['prefix']) })).not.toThrow();
      expect(build({ model: fieldsNamed('max_affected', true) })).not.toThrow();
      const nested = defineModel('Nested', {
        collection: 'nested',
        fields: { a: t.object('A', { [name]: t.string({ policy: { filter: true } }) }) },
      });
      expect(build({ model: nested })).not.toThrow();
    },
  );

  it('a path left out where the name of the collection is none', () => {
    const model = defineModel('Doc', { collection: 'old/docs', fields: {} });
    expect(build({ model })).toThrow(
      /`path` of resource `old\/docs` cannot be left out: the name of its collection is not one path segment/,
    );
    expect(build({ model, path: 'docs' })).not.toThrow();
  });
});

describe('a mistake in an api is a configuration error', () => {
  it.each<[rule: string, options: object, message: RegExp]>([
    ['an unknown option', { prefx: '/api' }, /`prefx` is not an option of an api; did you mean `prefix`\?/],
    ['a prefix without a slash', { prefix: 'api' }, /`prefix`/],
    ['a prefix that ends with one', { prefix: '/api/' }, /`prefix`/],
    ['a prefix that is a symbol', { prefix: Symbol('api') }, /`prefix` .* it is `Symbol\(api\)`/],
    ['a prefix that is a slash', { prefix: '/' }, /`prefix`/],
    ['a prefix that clients resolve', { prefix: '/..' }, /`prefix`/],
    ['a prefix with a part that clients resolve', { prefix: '/api/./v1' }, /`prefix`/],
    ['a prefix with a parameter', { prefix: '/:shop' }, /`prefix`/],
    ['no resources', { resources: undefined }, /`resources` of an api must be an array/],
    ['a resource alone', { resources: shop.resource({ model: Doc }) }, /`resources`/],
    ['a resource that is undefined by mistake', { resources: [undefined] }, /`resources`/],
    ['no database', { db: undefined }, /`db`/],
    ['a client instead of its database', { db: { db: () => undefined } }, /`db`/],
    ['a body limit of 0', { maxBody: 0 }, /`maxBody`/],
    ['a body limit in words', { maxBody: '1mb' }, /`maxBody`/],
    ['a concurrency of 0', { maxConcurrency: 0 }, /`maxConcurrency`/],
    ['a concurrency that is NaN', { maxConcurrency: Number.NaN }, /`maxConcurrency`/],
    ['a time limit of 0, which would mean none', { maxTimeMS: 0 }, /`maxTimeMS`/],
    ['a time limit longer than a timer can wait', { maxTimeMS: 2 ** 31 - 1 }, /`maxTimeMS`/],
  ])('%s', (_rule, options, message) => {
    expect(build({}, options)).toThrow(ConfigurationError);
    expect(build({}, options)).toThrow(message);
  });

  it('a resource of another service', () => {
    const { resource } = service({ authenticate: () => 5 });
    const resources = [resource({ model: Doc, path: 'theirs' })] as never;
    expect(() => shop.api({ db: database.db, resources })).toThrow(/resource `theirs` .* `resource\(\)` of its service/);
    expect(() => shop.api({ db: database.db, resources: [{ model: Doc } as never] })).toThrow(/`docs`/);
  });

  it('a body limit, even where nothing reads a body', () => {
    const resources = [shop.resource({ model: Doc, ops: ['list', 'get'] })];
    expect(() => shop.api({ db: database.db, maxBody: '1mb' as never, resources })).toThrow(/`maxBody`/);
  });

  it('two resources of one path', () => {
    const resources = [shop.resource({ model: Doc }), shop.resource({ model: Doc })];
    expect(() => shop.api({ db: database.db, resources })).toThrow(/Two resources have the path `docs`/);
    expect(() =>
      shop.api({ db: database.db, resources: [shop.resource({ model: Doc }), shop.resource({ model: Doc, path: 'other' })] }),
    ).not.toThrow();
  });

  it('an option of the service that does not exist, or is no function', () => {
    expect(() => service({ authentcate: () => undefined } as never)).toThrow(/did you mean `authenticate`\?/);
    expect(() => service({ authenticate: 'ann' } as never)).toThrow(ConfigurationError);
    expect(() => service(null as never)).toThrow(ConfigurationError);
    expect(() => shop.api(undefined as never)).toThrow(ConfigurationError);
  });
});

describe('cursorPaging()', () => {
  it.each<[object | undefined, object]>([
    [undefined, { max: 100, size: 20, total: false }],
    [{}, { max: 100, size: 20, total: false }],
    [{ max: 7 }, { max: 7, size: 7, total: false }],
    [
      { max: 500, size: 50, total: true },
      { max: 500, size: 50, total: true },
    ],
    [{ max: 1 }, { max: 1, size: 1, total: false }],
  ])('fills in its defaults: %o', (options, paging) => {
    expect(cursorPaging(options)).toEqual({ mode: 'cursor', ...paging });
  });

  it.each([
    { max: 0 },
    { max: 1.5 },
    { max: '5' },
    { max: Number.POSITIVE_INFINITY },
    { size: 0 },
    { size: 101 },
    { max: 5, size: 6 },
    { size: Number.NaN },
    { total: 'yes' },
    { maximum: 5 },
  ])('refuses %o', (options) => {
    expect(() => cursorPaging(options as never)).toThrow(ConfigurationError);
  });
});

describe('definitions', () => {
  it('are not changed by an api, and may serve several', () => {
    const options = Object.freeze({ model: Doc, ops: Object.freeze(['get', 'list'] as const), guards: Object.freeze([() => true]) });
    const resource = shop.resource(options as never);
    for (const prefix of ['/one', '/two']) expect(() => shop.api({ db: database.db, prefix, resources: [resource] })).not.toThrow();
  });
});
