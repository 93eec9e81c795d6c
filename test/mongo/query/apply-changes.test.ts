import { absent } from '../../../src/model/node.ts';
import type { Changes, EmbeddedMerge } from '../../../src/model/write/plan-changes.ts';
import { checkStored, refusalsBy } from '../../../src/mongo/query/apply-changes.ts';

const merge = (path: string, whole?: object): EmbeddedMerge => ({
  path,
  whole,
  refused: whole ? [] : [{ field: path, rule: 'incomplete', message: 'is not there' }],
});
const changes = (assignments: Record<string, unknown>, ...embedded: EmbeddedMerge[]): Changes => ({
  assignments: Object.entries(assignments).map(([path, value]) => ({ path, value })),
  embedded,
});

describe('an object that changes write into', () => {
  it.each<[string, object, string[]]>([
    ['is there', { place: { shop: {} } }, []],
    ['is missing', { place: {} }, ['place.shop']],
    ['is null', { place: { shop: null } }, ['place.shop']],
    ['is a list', { place: { shop: [{}] } }, ['place.shop']],
    ['is missing with the one around it', {}, ['place', 'place.shop']],
  ])('is told of where it cannot be created: %s', (_what, stored, fields) => {
    const refused = refusalsBy({ ...stored }, changes({}, merge('place'), merge('place.shop'), merge('created', {})));
    expect(refused.map(({ field }) => field)).toEqual(fields);
  });
});

describe('the checks of what a put would leave', () => {
  const seen = (given: Changes, stored: object) => {
    const found: unknown[] = [];
    const checkAt = (path: string) => [path, (value: unknown) => void found.push([path, value])] as const;
    const checks = new Map([checkAt(''), checkAt('place')]);
    expect(checkStored({ dependsOn: [], checks }, given, { ...stored })).toEqual([]);
    return found;
  };

  it('see the object that is there, with the keys that are written and without those that are removed', () => {
    const place = { city: 'Ulm', zip: 2 };
    expect(
      seen(changes({ 'place.city': 'Ulm', 'place.note': absent }, merge('place', { city: 'x' })), { place: { note: 'n', zip: 2 } }),
    ).toEqual([
      ['place', place],
      ['', { place }],
    ]);
  });

  it('see the object that is created where there is none', () => {
    const place = { city: 'Ulm', zip: 1 };
    expect(seen(changes({ 'place.city': 'Ulm', name: 'a' }, merge('place', { city: 'Ulm', zip: 1 })), { place: null })).toEqual([
      ['place', place],
      ['', { place, name: 'a' }],
    ]);
  });
});
