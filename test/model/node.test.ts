import { t } from '../../src/model/define/t.ts';
import { modelOf } from './subject.ts';

const Item = t.object('Item', { sku: t.string(), tags: t.array(t.string()), cost: t.optional(t.decimal({ policy: { private: true } })) });
const { fieldTable } = modelOf({
  any: t.any(),
  place: t.nullable(t.object('Place', { city: t.string() })),
  items: t.array(Item),
  grid: t.array(t.array(Item)),
  byKey: t.map(Item),
  vault: t.object('Vault', { code: t.int() }, { policy: { private: true } }),
});

describe('the table of a model', () => {
  it('has each field with a fixed path, an object before its fields, and nothing inside of maps', () => {
    expect([...fieldTable.keys()]).toEqual([
      ...['id', 'any', 'place', 'place.city'],
      ...['items', 'items.sku', 'items.tags', 'items.cost', 'grid', 'grid.sku', 'grid.tags', 'grid.cost'],
      ...['byKey', 'vault', 'vault.code'],
    ]);
  });

  it.each<[string, object]>([
    ['id', { path: '_id', parent: undefined, leaf: { name: 'objectId' }, arrayPath: undefined, mayBeMissing: false, isPrivate: false }],
    ['any', { value: { kind: 'leaf' }, leaf: undefined }],
    ['place', { value: { kind: 'object' }, leaf: undefined, mayBeMissing: true }],
    ['place.city', { field: { name: 'city' }, parent: { name: 'place' }, leaf: { name: 'string' }, mayBeMissing: true }],
    ['items', { value: { kind: 'object' }, arrayPath: 'items', inNestedArray: false, mayBeMissing: false }],
    ['items.sku', { arrayPath: 'items', inNestedArray: false }],
    ['items.tags', { leaf: { name: 'string' }, arrayPath: 'items.tags', inNestedArray: false }],
    ['items.cost', { arrayPath: 'items', mayBeMissing: true, isPrivate: true }],
    ['grid', { value: { kind: 'object' }, arrayPath: 'grid', inNestedArray: true }],
    ['grid.sku', { arrayPath: 'grid', inNestedArray: true }],
    ['byKey', { value: { kind: 'map' }, leaf: undefined, arrayPath: undefined }],
    ['vault.code', { isPrivate: true }],
  ])('says of %s where it stands and what it is', (name, entry) => {
    expect(fieldTable.get(name)).toMatchObject({ name, path: name, ...entry });
  });
});
