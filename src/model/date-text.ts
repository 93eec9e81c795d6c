const dateTime = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)?$/;

/**
 * Reads an RFC 3339 date-time; without an offset it is UTC. Digits beyond milliseconds are cut off. Undefined for anything else: the days
 * that no month has, which `Date` itself would roll over; leap seconds, which it does not know; times that are outside the years 0000 to
 * 9999 in UTC, which could not be written as such a text again.
 *
 * @example
 * parseDate('2026-02-30T00:00:00Z'); // undefined
 */
export function parseDate(text: string): Date | undefined {
  const match = dateTime.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', offset = 'Z'] = match as string[] & { length: 9 };
  const milliseconds = fraction.padEnd(3, '0').slice(0, 3);
  const local = `${year}-${month}-${day}T${hour}:${minute}:${second}.${milliseconds}Z`;
  const date = new Date(local);
  // An impossible day, hour, minute or second is refused or rolled over by `Date`: either way the text differs.
  if (Number.isNaN(date.getTime()) || date.toISOString() !== local) return undefined;
  return shift(date, offset);
}

function shift(date: Date, offset: string): Date | undefined {
  if (offset === 'Z' || offset === 'z') return date;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(4, 6));
  if (hours > 23 || minutes > 59) return undefined;
  const distance = (hours * 60 + minutes) * 60_000;
  const utc = new Date(date.getTime() + (offset.startsWith('-') ? distance : -distance));
  return /^\d{4}-/.test(utc.toISOString()) ? utc : undefined;
}
