import { t } from '../../../src/model/define/t.ts';
import { tabulateFields } from '../../../src/model/node.ts';
import { holdsPrivate, leadsToPrivate, privateNames, privatePaths, withoutPrivate } from '../../../src/model/read/private-fields.ts';
import { modelOf } from '../subject.ts';

const hidden = { policy: { private: true } };
const Place = t.object('Place', { city: t.string(), code: t.string(hidden) });
const { root, fieldTable } = modelOf({
  name: t.string(),
  pin: t.string(hidden),
  place: Place,
  places: t.array(t.array(Place)),
  byKey: t.map(Place),
  vault: t.object('Vault', { door: t.string() }, hidden),
  open: t.object('Open', { tags: t.array(t.string()), notes: t.map(t.string()) }),
});
const nodeOf = (name: string) => root.byName.get(name)?.node ?? root;

describe('what is private', () => {
  it('has names, at any depth', () => {
    expect([...privateNames(root)]).toEqual(['pin', 'code', 'vault']);
    expect(privateNames(nodeOf('open')).size).toBe(0);
  });

  it('is never fetched where it has a path', () => {
    expect(privatePaths(fieldTable)).toEqual(['pin', 'place.code', 'places.code', 'vault']);
  });

  it.each([
    ['name', false],
    ['place', true],
    ['places', true],
    ['byKey', true],
    ['vault', false], // private itself: within it nothing is
    ['open', false],
  ])('is held by %s: %o', (name, holds) => {
    expect(holdsPrivate(nodeOf(name))).toBe(holds);
  });

  it.each([
    ['pin', true],
    ['pin.x', true],
    ['name', false],
    ['name.x', false],
    ['place', true],
    ['place.city', false],
    ['place.code', true],
    ['place.$**', true],
    ['places.code', true],
    ['places.city', false],
    ['places.0.code', true],
    ['places.0.12.code', true],
    ['places.0.city', false],
    ['places.x0.code', false],
    ['places.0x.code', false],
    ['byKey.any.code', true],
    ['byKey.any.city', false],
    ['byKey.code', true], // the object of this key
    ['vault.door', true],
    ['open', false],
    ['open.$**', false],
    ['open.tags.0', false],
    ['open.notes.x', false],
    ['unknown', false],
    ['$**', true],
  ])('is where %s leads to: %o', (path, isPrivate) => {
    expect(leadsToPrivate(root, path.split('.'))).toBe(isPrivate);
  });

  it('can be left out, at any depth', () => {
    const readable = withoutPrivate(root);
    expect([...readable.byName.keys()]).toEqual(['id', 'name', 'place', 'places', 'byKey', 'open']);
    expect(readable.fields.map(({ name }) => name)).toEqual([...readable.byName.keys()]);
    expect([...privateNames(readable)]).toEqual([]);
    expect(privatePaths(tabulateFields(readable))).toEqual([]);
    expect(holdsPrivate(readable)).toBe(false);
    expect(holdsPrivate(root)).toBe(true);
  });
});
