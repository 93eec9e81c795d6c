import { describe, expect, it } from '@jest/globals';
import { parseDate } from '../../src/model/date-text.ts';

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
  ])('reads %s', (text, expected) => {
    expect(parseDate(text)?.toISOString()).toBe(expected);
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
    ['more than four digits of year', '+012026-01-31T12:00:00Z'],
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
