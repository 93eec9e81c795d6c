import { MongoClient } from 'mongodb';
import { defineModel, type ModelOptions, openapiDocument, service, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';

const db = new MongoClient('mongodb://127.0.0.1:1').db();
const fields = {
  tenant: t.string({ policy: { filter: true } }),
  title: t.string(),
  size: t.int(),
  kind: t.enum(['a', 'b']),
  tenants: t.array(t.string()),
  grid: t.array(t.array(t.string())),
  secret: t.string({ policy: { private: true } }),
  given: t.string({ policy: { private: true, insert: true } }),
  place: t.object('Place', { text: t.string(), hidden: t.string({ policy: { private: true } }) }),
  more: t.map(t.string()),
  q: t.optional(t.string({ policy: { filter: ['eq'] } })),
};
type Given = Any;

function build(search: Given, resource: Given = {}, more: Partial<ModelOptions> = {}) {
  const shop = service();
  const { q: _, ...without } = fields;
  const model = defineModel('Note', { collection: 'notes', fields: without, ...(search && { search }), ...more } as Given);
  return shop.api({ db, resources: [shop.resource({ model, ...resource } as Given)] });
}

const byTenant = { scope: () => ({ tenant: 'a' }), scopeFields: ['tenant'] };

describe('`search` of a model', () => {
  it.each<[string, Given, RegExp]>([
    ['no object', 'title', /`search` of model `Note` must be an object/],
    ['no fields', {}, /`fields` of `search` of model `Note` must be an object with a weight for each field/],
    ['empty fields', { fields: {} }, /must be an object with a weight for each field/],
    ['a misspelt option', { fields: { title: 1 }, langauge: 'none' }, /`langauge` is not an option .* did you mean `language`\?/],
    ['an unknown language', { fields: { title: 1 }, language: 'klingon' }, /`language` .* one of none, danish/],
    ['a misspelt field', { fields: { titel: 1 } }, /`titel` is not a field of Note.*; did you mean `title`\?/],
    ['a weight of zero', { fields: { title: 0 } }, /The weight of `title` .* from 1 to 99999/],
    ['a weight that is no number', { fields: { title: true } }, /The weight of `title`/],
    ['a number', { fields: { size: 1 } }, /names `size`, which must be a string or an array of strings/],
    ['an enum', { fields: { kind: 1 } }, /names `kind`/],
    ['an object', { fields: { place: 1 } }, /names `place`/],
    ['a map', { fields: { more: 1 } }, /names `more`/],
    ['an array of arrays', { fields: { grid: 1 } }, /names `grid`/],
    ['a private field', { fields: { secret: 1 } }, /names `secret`, which is private/],
    ['a private field within an object', { fields: { 'place.hidden': 1 } }, /names `place.hidden`, which is private/],
    ['a field that clients only write', { fields: { given: 1 } }, /names `given`, which is private/],
    [
      'an unknown field of the scope',
      { fields: { title: 1 }, scopeFields: ['tennant'] },
      /`tennant` is not a field .* did you mean `tenant`\?/,
    ],
    ['an array of the scope', { fields: { title: 1 }, scopeFields: ['tenants'] }, /names `tenants`, which must be a single value/],
    ['a text of the scope', { fields: { title: 1 }, scopeFields: ['title'] }, /names `title`, which is in `fields`/],
    ['a field of the scope twice', { fields: { title: 1 }, scopeFields: ['tenant', 'tenant'] }, /names a field twice/],
  ])('cannot have %s', (_what, search, message) => {
    expect(() => build(search)).toThrow(message);
  });

  it('cannot stand beside another text index', () => {
    expect(() => build({ fields: { title: 1 } }, {}, { indexes: [{ key: { title: 'text' } }] })).toThrow(/a collection has one at most/);
  });

  it('has only fields that every scope of its resources compares', () => {
    const search = { fields: { title: 1 }, scopeFields: ['tenant'] };
    const message = /`search.scopeFields` of Note has tenant, but `scopeFields` of resource `notes` has not/;
    expect(() => build(search)).toThrow(message);
    expect(() => build(search, { scope: () => ({ tenant: 'a' }) })).toThrow(message);
    expect(() => build(search, { ...byTenant, scopeFields: ['title'] })).toThrow(message);
    expect(() => build(search, byTenant)).not.toThrow();
    expect(() => build(search, { ops: ['get'] })).not.toThrow();
  });

  it('refuses a field `q` with `eq`, and only where lists have q', () => {
    const shop = service();
    const make = (search: Given, resource: Given = {}) => {
      const model = defineModel('Note', { collection: 'notes', fields, ...(search && { search }) } as Given);
      return shop.api({ db, resources: [shop.resource({ model, ...resource })] });
    };
    const message = /`policy.filter` of `q` in Note cannot have `eq`/;
    expect(() => make(undefined)).not.toThrow();
    expect(() => make({ fields: { title: 1 } })).toThrow(message);
    expect(() => make(undefined, { search: () => [] })).toThrow(message);
  });

  it('is one of a collection', () => {
    const shop = service();
    const models = (...given: readonly Given[]) =>
      given.map((more, index) =>
        defineModel(`Note${index}`, { collection: 'notes', fields: { tenant: t.string(), title: t.string() }, ...more } as Given),
      );
    const make = (...given: readonly Given[]) => shop.api({ db, resources: [], models: models(...given) });
    const message = /`search` of Note\d and Note\d are two text indexes of the collection `notes`/;
    const search = { fields: { title: 1 } };
    expect(() => make({ search }, { search: { fields: { title: 2 } } })).toThrow(message);
    expect(() => make({ search }, { search: { ...search, language: 'german' } })).toThrow(message);
    expect(() => make({ search }, { indexes: [{ key: { title: 'text' } }] })).toThrow(message);
    expect(() => make({ search }, { search }, {})).not.toThrow();
    const ofTenant = { search: { ...search, scopeFields: ['tenant'] } };
    expect(() => make(ofTenant, { fields: { tenant: t.array(t.string()) } })).toThrow(
      /has `tenant`, which is an array, or in one, in Note1/,
    );
    const org = t.object('Org', { id: t.string() });
    const ofOrg = { fields: { title: t.string(), org }, search: { ...search, scopeFields: ['org.id'] } };
    for (const one of [t.array(t.string()), t.array(org), t.array(t.object('Named', { name: t.string() }))])
      expect(() => make(ofOrg, { fields: { org: one } })).toThrow(/has `org.id`, which is an array, or in one, in Note1/);
    expect(() => make(ofOrg, { fields: { org, organs: t.array(t.string()) } })).not.toThrow();
  });
});

describe('`search` of a resource', () => {
  it.each<[string, Given, Given, RegExp]>([
    ['something else than a function', undefined, { search: ['a'] }, /`search` of resource `notes` must be a function that returns ids/],
    ['no list', undefined, { search: () => [], ops: ['get'] }, /`search` of resource `notes` is about its list/],
    ['a model with `search`', { fields: { title: 1 } }, { search: () => [] }, /and that of Note are two/],
  ])('cannot have %s', (_what, search, resource, message) => {
    expect(() => build(search, resource)).toThrow(message);
  });
});

it('is described, with its bounds', () => {
  const shop = service();
  const { q: _, ...without } = fields;
  const model = defineModel('Note', { collection: 'notes', fields: without, search: { fields: { title: 2, 'place.text': 1 } } });
  const api = shop.api({ db, maxSearchTerms: 3, maxSearchLength: 50, resources: [shop.resource({ model, aggregate: true })] });
  const document = openapiDocument(api) as Any;
  const find = (path: string) => document.paths[path].get.parameters.find(({ name }: Any) => name === 'q');
  expect(find('/notes')).toMatchObject({
    in: 'query',
    description:
      'Words and "phrases" that must all be there, at most 3. They are looked for in title, place.text. In a list without `sort`, the best matches come first, in one page only.',
    schema: { type: 'string', minLength: 1, maxLength: 50 },
  });
  expect(find('/notes/aggregate')).toEqual(find('/notes'));
  const { properties } = document.paths['/notes/query'].post.requestBody.content['application/json'].schema;
  expect(properties.q).toMatchObject({ type: 'string', maxLength: 50 });
  expect(JSON.stringify(openapiDocument(build(undefined)))).not.toContain('"q"');
});
