const dateTime = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)?$/;

/**
 * Parses an RFC 3339 date-time. Without an offset it is UTC. Digits beyond milliseconds are cut off. Returns undefined
 * for any other text: also for impossible days, which `Date` would roll over; for leap seconds, which `Date` does not
 * know; and for times that their offset moves out of the years 0000 to 9999, which RFC 3339 cannot write.
 *
 * Expanded years (ECMA-262, "Expanded Years") are accepted in the spelling of `Date`. Stored dates outside of those
 * years are written so, and clients can send back what they read.
 *
 * @example
 * parseDate('2026-02-30T00:00:00Z'); // undefined
 */
export function parseDate(text: string): Date | undefined {
  if (!dateTime.test(text)) return undefined;
  const start = text.charCodeAt(0) <= minus ? 7 : 4; // an expanded year has a sign and six digits
  const year = Number(text.slice(0, start));
  if (start === 7 && year >= 0 && year <= 9999) return undefined;
  const month = twoDigits(text, start + 1);
  const day = twoDigits(text, start + 4);
  const hour = twoDigits(text, start + 7);
  const minute = twoDigits(text, start + 10);
  const second = twoDigits(text, start + 13);
  if (month < 1 || month > 12 || day < 1 || day > daysOf(month, year) || hour > 23 || minute > 59 || second > 59) return undefined;
  let at = start + 15;
  let milliseconds = 0;
  if (text.charCodeAt(at) === point) {
    at++;
    for (let unit = 100; isDigit(text, at); unit = Math.floor(unit / 10)) milliseconds += unit * digit(text, at++);
  }
  // `Date.UTC` takes the years 0 to 99 for those of the last century. After 400 years the calendar repeats.
  const isEarly = year >= 0 && year < 100;
  const time = Date.UTC(isEarly ? year + 400 : year, month - 1, day, hour, minute, second, milliseconds) - (isEarly ? years400 : 0);
  if (Number.isNaN(time)) return undefined;
  const zone = text.charCodeAt(at);
  if (Number.isNaN(zone) || zone === upperZ || zone === lowerZ) return new Date(time);
  const hours = twoDigits(text, at + 1);
  const minutes = twoDigits(text, at + 4);
  if (hours > 23 || minutes > 59) return undefined;
  const distance = (hours * 60 + minutes) * 60_000;
  const utc = time + (zone === minus ? distance : -distance);
  return utc >= year0 && utc < year10000 ? new Date(utc) : undefined;
}

const zero = 0x30;
const nine = 0x39;
const minus = 0x2d;
const point = 0x2e;
const upperZ = 0x5a;
const lowerZ = 0x7a;

const years400 = 146_097 * 86_400_000;
const year0 = -62_167_219_200_000;
const year10000 = 253_402_300_800_000;

const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysOf(month: number, year: number): number {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 2 && isLeap ? 29 : (days[month - 1] as number);
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= zero && code <= nine;
}

function digit(text: string, at: number): number {
  return text.charCodeAt(at) - zero;
}

function twoDigits(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
}
