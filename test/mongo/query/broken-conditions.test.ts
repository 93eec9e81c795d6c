import type { QueryField } from '../../../src/model/compile/query-fields.ts';
import { absent } from '../../../src/model/node.ts';
import type { Changes } from '../../../src/model/write/plan-changes.ts';
import type { Condition } from '../../../src/mongo/predicate/predicate.ts';
import { brokenBy, brokenByChanges, creationsWithin } from '../../../src/mongo/query/broken-conditions.ts';

const is = (path: string, value: unknown): Condition => ({ field: { name: path, path } as QueryField, operator: 'eq', value });
const isThere = (path: string): Condition => ({ ...is(path, true), operator: 'exists' });
const names = (conditions: readonly Condition[]) => conditions.map(({ field }) => field.name);
const merge = (path: string, whole?: unknown) => ({ path, whole, refused: [] });
const changes = (assignments: Record<string, unknown>, ...embedded: Changes['embedded']): Changes => ({
  assignments: Object.entries(assignments).map(([path, value]) => ({ path, value })),
  embedded,
});

describe('a new record', () => {
  it('breaks the conditions that it does not fulfil', () => {
    expect(names(brokenBy({ owner: 'ann', place: { city: 'Ulm' } }, [is('owner', 'ann'), is('place.city', 'Rom'), is('team', 5)]))).toEqual(
      ['place.city', 'team'],
    );
  });
});

describe('changes', () => {
  it.each<[string, Changes, Condition, boolean]>([
    ['another value', changes({ owner: 'bob' }), is('owner', 'ann'), true],
    ['the same value', changes({ owner: 'ann' }), is('owner', 'ann'), false],
    ['a value that is removed', changes({ owner: absent }), is('owner', 'ann'), true],
    ['a value that is removed where none is asked for', changes({ owner: absent }), is('owner', null), false],
    ['a whole object', changes({ place: { city: 'Rom' } }), is('place.city', 'Ulm'), true],
    ['a whole object that fits', changes({ place: { city: 'Ulm' } }), is('place.city', 'Ulm'), false],
    ['an object that is removed', changes({ place: absent }), is('place.city', 'Ulm'), true],
    ['a part of an object', changes({ 'place.city': 'Rom' }), is('place.city', 'Ulm'), true],
    ['a part of an object that is removed', changes({ 'place.city': absent }), isThere('place'), false],
    ['another field', changes({ name: 'x' }), is('owner', 'ann'), false],
    ['another field whose name begins so', changes({ own: 'x', placeholder: 'x' }), is('owner', 'ann'), false],
    ['another field within the object', changes({ 'place.zip': 'x' }), is('place.city', 'Ulm'), false],
    ['keys of an object that shall not be one', changes({ 'place.zip': 'x' }, merge('place')), is('place', null), true],
    ['keys of an object that shall be there', changes({ 'place.zip': 'x' }, merge('place')), isThere('place'), false],
    ['keys of another object', changes({ 'shop.zip': 'x' }, merge('shop')), is('place', null), false],
    ['keys of an object around it', changes({}, merge('place')), is('place.city', 'Ulm'), false],
  ])('break a condition by what they set: %s', (_name, given, condition, isBroken) => {
    expect(names(brokenByChanges(given, [condition]))).toEqual(isBroken ? [condition.field.name] : []);
  });
});

describe('an object that changes may have to create', () => {
  const refuse = (merge: { readonly path: string }, broken: readonly Condition[]) =>
    broken.map(({ field }) => ({ field: field.name, rule: 'scope', message: `is outside, in ${merge.path}` }));
  const bound = (given: Changes, ...conditions: Condition[]) => creationsWithin(given, conditions, refuse);

  it('must be there already, where a default of it is outside of the scope', () => {
    const given = changes({ name: 'x', 'place.zip': '1' }, merge('place', { zip: '1', city: 'Rom' }), merge('shop', { name: 'x' }));
    const [place, shop] = bound(given, is('place.city', 'Ulm'), is('place.zip', '2')).embedded;
    expect(place).toEqual({ ...merge('place'), refused: refuse(merge('place'), [is('place.city', 'Ulm')]) }); // the zip is set, and not left to a default
    expect(shop).toBe(given.embedded[1]);
  });

  it.each<[string, Changes, Condition]>([
    ['a default within the scope', changes({}, merge('place', { city: 'Ulm' })), is('place.city', 'Ulm')],
    [
      'a value that is set: it was judged as such',
      changes({ 'place.city': 'Rom' }, merge('place', { city: 'Rom' })),
      is('place.city', 'Ulm'),
    ],
    ['a condition on another field', changes({}, merge('place', { city: 'Rom' })), is('owner', 'ann')],
    ['a condition on a field whose name begins so', changes({}, merge('place', { city: 'Rom' })), is('placeholder', 'ann')],
    ['a condition on the object itself: it was judged as such', changes({}, merge('place', {})), is('place', null)],
    ['an object that cannot be created', changes({}, merge('place')), is('place.city', 'Ulm')],
    ['an object within it, which is judged by itself', changes({}, merge('a', { b: {} }), merge('a.b', undefined)), is('a.b', null)],
  ])('stays as it is for %s', (_name, given, condition) => {
    expect(bound(given, condition)).toBe(given);
  });
});
