import fc from 'fast-check';
import { parseDate } from '../../../src/model/value/date-text.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';

describe('parseDate', () => {
  it.each([
    ['2026-01-31T12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31t12:00:00z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31 12:00:00Z', '2026-01-31T12:00:00.000Z'],
    ['2026-01-31T12:00:00.5Z', '2026-01-31T12:00:00.500Z'],
    ['2026-01-31T12:00:00.1239999999999Z', '2026-01-31T12:00:00.123Z'],
    ['2026-01-31T12:00:00+02:30', '2026-01-31T09:30:00.000Z'],
    ['2026-01-31T23:00:00-02:00', '2026-02-01T01:00:00.000Z'],
    ['2026-01-31T12:00:00-00:00', '2026-01-31T12:00:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['+010000-01-01T00:00:00.000Z', '+010000-01-01T00:00:00.000Z'],
    ['-000001-12-31T23:59:59Z', '-000001-12-31T23:59:59.000Z'],
    ['+275760-09-13T00:00:00.000Z', '+275760-09-13T00:00:00.000Z'],
    ['-271821-04-20T00:00:00.000Z', '-271821-04-20T00:00:00.000Z'],
    ['-000001-12-31T23:30:00-01:00', '0000-01-01T00:30:00.000Z'],
  ])('reads %s', (text, expected) => {
    expect(parseDate(text)?.toISOString()).toBe(expected);
  });

  it('reads the days, hours, minutes and seconds that there are, and no others', () => {
    const two = (most: number) => fc.integer({ min: 0, max: most }).map((value) => String(value).padStart(2, '0'));
    const year = fc
      .oneof(fc.integer({ min: 0, max: 9999 }), fc.constantFrom(0, 99, 100, 400, 1900, 2000, 2024))
      .map((value) => String(value).padStart(4, '0'));
    fc.assert(
      fc.property(year, two(13), two(32), two(24), two(60), two(60), (y, m, d, h, min, s) => {
        const text = `${y}-${m}-${d}T${h}:${min}:${s}.000Z`;
        const date = new Date(text);
        const isDate = !Number.isNaN(date.getTime()) && date.toISOString() === text;
        expect([text, parseDate(text)]).toEqual([text, isDate ? date : undefined]);
      }),
      cases(2_000),
    );
  });

  it('reads whatever a Date is written as', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (date) => {
        expect(parseDate(date.toISOString())).toEqual(date);
      }),
    );
  });

  it.each([
    ['a day that its month lacks', '2026-02-30T00:00:00Z'],
    ['29 February of a common year', '2026-02-29T00:00:00Z'],
    ['29 February of 1900', '1900-02-29T00:00:00Z'],
    ['month 13', '2026-13-01T00:00:00Z'],
    ['day 0', '2026-01-00T00:00:00Z'],
    ['hour 24', '2026-01-31T24:00:00Z'],
    ['minute 60', '2026-01-31T12:60:00Z'],
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['an offset of 24 hours', '2026-01-31T12:00:00+24:00'],
    ['an offset of 60 minutes', '2026-01-31T12:00:00+01:60'],
    ['an offset without a colon', '2026-01-31T12:00:00+0100'],
    ['a date alone', '2026-01-31'],
    ['no seconds', '2026-01-31T12:00Z'],
    ['an empty fraction', '2026-01-31T12:00:00.Z'],
    ['a comma', '2026-01-31T12:00:00,5Z'],
    ['a year of four digits as an expanded one', '+002026-01-31T12:00:00Z'],
    ['the year 0 as an expanded one', '+000000-01-31T12:00:00Z'],
    ['the year -0', '-000000-01-31T12:00:00Z'],
    ['six digits of year without a sign', '012026-01-31T12:00:00Z'],
    ['five digits of year', '+12026-01-31T12:00:00Z'],
    ['seven digits of year', '+0012026-01-31T12:00:00Z'],
    ['a millisecond more than a Date holds', '+275760-09-13T00:00:00.001Z'],
    ['what an offset moves beyond what a Date holds', '+275760-09-13T00:00:00-01:00'],
    ['what an offset moves out of such years', '+010000-01-01T12:00:00-01:00'],
    ['a day that its month lacks, in such a year', '+012026-02-30T12:00:00Z'],
    ['a text around it', ' 2026-01-31T12:00:00Z'],
    ['a line after it', '2026-01-31T12:00:00Z\n'],
    ['what an offset moves before the year 0', '0000-01-01T00:00:00+01:00'],
    ['what an offset moves beyond the year 9999', '9999-12-31T23:59:59-01:00'],
    ['other digits', '２０２６-01-31T12:00:00Z'],
    ['nothing', ''],
  ])('refuses %s', (_name, text) => {
    expect(parseDate(text)).toBeUndefined();
  });
});
