import fc from 'fast-check';
import { safeNames } from '../../../src/products/mcp/safe-names.ts';

const named = (subjects: readonly string[], maxLength = 64, taken: readonly string[] = []) => [
  ...safeNames(
    subjects.map((subject) => ({ wanted: subject, subject })),
    { maxLength, taken },
  ).values(),
];

describe('safeNames', () => {
  it('replaces each run of other characters by one underscore', () => {
    expect(named(['orders.list', 'shipTo.city[gte', 'a-b', 'naïve name'])).toEqual(['orders_list', 'shipTo_city_gte', 'a-b', 'na_ve_name']);
  });

  it('ends both names with a digest where two subjects want one, whatever their order', () => {
    const [first, second] = named(['ship_to.city', 'ship.to_city']);
    expect([first, second]).toEqual([
      expect.stringMatching(/^ship_to_city_[0-9a-f]{8}$/),
      expect.stringMatching(/^ship_to_city_[0-9a-f]{8}$/),
    ]);
    expect(first).not.toBe(second);
    expect(named(['ship.to_city', 'other', 'ship_to.city'])).toEqual([second, 'other', first]);
  });

  it('ends a name with a digest where it is taken', () => {
    expect(named(['id', 'name'], 64, ['id'])).toEqual([expect.stringMatching(/^id_[0-9a-f]{8}$/), 'name']);
  });

  it('cuts what is too long, and keeps it apart from what begins alike', () => {
    const long = 'x'.repeat(70);
    const names = named([long, `${long}y`], 40);
    expect(names).toEqual([expect.stringMatching(/^x{31}_[0-9a-f]{8}$/), expect.stringMatching(/^x{31}_[0-9a-f]{8}$/)]);
    expect(new Set(names).size).toBe(2);
  });

  it('gives all subjects different names that every client accepts', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: 'grapheme' })), fc.array(fc.string()), (subjects, taken) => {
        const names = named(subjects, 20, taken);
        expect(new Set(names).size).toBe(subjects.length);
        for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,20}$/);
      }),
    );
  });
});
