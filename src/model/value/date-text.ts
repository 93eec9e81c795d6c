const dateTime = /^(\d{4}|[+-]\d{6})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)?$/;

/**
 * Parses an RFC 3339 date-time. Without an offset it is UTC. Digits beyond milliseconds are cut off. Returns undefined for any other text:
 * also for impossible days, which `Date` would roll over; for leap seconds, which `Date` does not know; and for times that their offset
 * moves out of the years 0000 to 9999, which RFC 3339 cannot write.
 *
 * Expanded years (ECMA-262, "Expanded Years") are accepted in the spelling of `Date`. Stored dates outside of those years are written so,
 * and clients can send back what they read.
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
  // `Date` refuses an impossible day, hour, minute or second, or rolls it over: then the text differs.
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
  const year = utc.getUTCFullYear();
  return year >= 0 && year <= 9999 ? utc : undefined;
}
