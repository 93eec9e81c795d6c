import { once } from '../../mistakes.ts';
import { accentedLetters, fullFolds, plainLetters, singleFolds } from './fold-table.ts';

/**
 * Folds a text without its case: canonical decomposition, full case folding, and canonical composition (D145 of the
 * Unicode standard). Two texts that differ only in case have the same folded text, in every process: the table is the
 * library's own, and the normalization of a character never changes once it is assigned (UAX #15).
 */
export function foldCase(text: string): string {
  return fold(text, true);
}

/**
 * Folds a text without its case and its accents. Accents are the marks from U+0300 to U+036F directly behind a letter
 * of the Latin, Greek and Cyrillic scripts. In other scripts a mark makes another letter. Letters of the Latin script
 * that no mark is a part of are read as those that a keyboard without them has: `ø` as `o`, `ł` as `l`, `æ` as `ae`.
 */
export function foldText(text: string): string {
  return fold(text, false);
}

const ascii = /^[\0-\x7f]*$/;

/** The iota below a letter. It comes behind all other marks of its letter, and becomes a letter itself. */
const iotaBelow = '\u0345';

/** A text of 1 MiB is folded at one stretch: each step is one loop over its UTF-16 code units, or one of the engine. */
function fold(text: string, keepsAccents: boolean): string {
  if (ascii.test(text)) return text.toLowerCase();
  const apart = normalize(text, 'NFD', hasLongRun(text));
  if (!apart.includes(iotaBelow)) return compose(rewrite(apart, { folds: true, keepsAccents }));
  const { text: folded, hasLongRun: isLong } = rewrite(apart, { folds: true, keepsAccents: true });
  return compose(rewrite(normalize(folded, 'NFD', isLong), { folds: false, keepsAccents }));
}

/** What a text has become. */
interface Rewritten {
  readonly text: string;
  /** Whether it may have so many marks side by side that they are normalized apart. */
  readonly hasLongRun: boolean;
}

function compose({ text, hasLongRun: isLong }: Rewritten): string {
  return normalize(text, 'NFC', isLong);
}

/**
 * Folds the case of each character of a decomposed text, and leaves out the marks from U+0300 to U+036F that are
 * directly behind a letter which may have accents.
 */
function rewrite(text: string, { folds: isFolding, keepsAccents }: { folds: boolean; keepsAccents: boolean }): Rewritten {
  const { single, several } = folds();
  const units = new Units(text.length, keepsAccents);
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    const folded = isFolding ? (single[unit] as number) : unit;
    if (folded !== looked) {
      units.add(folded);
      continue;
    }
    const character = String.fromCodePoint(text.codePointAt(at) as number);
    const others = several.get(character) ?? character;
    for (let index = 0; index < others.length; index++) units.add(others.charCodeAt(index));
    at += character.length - 1;
  }
  return units.take();
}

/** UTF-16 code units that become a text. */
class Units {
  readonly #accented = accented();
  readonly #keepsAccents: boolean;
  readonly #marks = new MarkRun();
  #units: Uint16Array;
  #length = 0;
  #isLetter = false;

  constructor(capacity: number, keepsAccents: boolean) {
    this.#units = new Uint16Array(capacity);
    this.#keepsAccents = keepsAccents;
  }

  add(unit: number): void {
    if (unit >= 0x300 && unit <= 0x36f) {
      if (this.#isLetter && !this.#keepsAccents) return;
    } else {
      const kind = this.#accented.short[unit] as number;
      this.#isLetter = kind !== 0 || (isLow(unit) && this.#isLongLetter(unit));
      if (kind > 1 && !this.#keepsAccents) {
        this.#addPlain(unit);
        return;
      }
    }
    this.#push(unit);
  }

  #addPlain(unit: number): void {
    const letters = this.#accented.plain.get(unit) as string;
    for (let index = 0; index < letters.length; index++) this.#push(letters.charCodeAt(index));
  }

  #push(unit: number): void {
    this.#marks.add(unit);
    if (this.#length === this.#units.length) this.#grow();
    this.#units[this.#length++] = unit;
  }

  take(): Rewritten {
    return { text: Buffer.from(this.#units.buffer, 0, this.#length * 2).toString('utf16le'), hasLongRun: this.#marks.isLong };
  }

  #isLongLetter(low: number): boolean {
    const high = this.#units[this.#length - 1] ?? 0;
    return this.#accented.long.has(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
  }

  #grow(): void {
    const units = new Uint16Array(2 * this.#length + 16);
    units.set(this.#units);
    this.#units = units;
  }
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** The most marks behind a letter that are normalized together: "Stream-Safe Text Format" in UAX #15. */
const longRun = /\p{M}{30}(?=\p{M})/gu;

/** The time for sorting a run of marks grows with its square: for 500,000 marks it would be minutes. */
function normalize(text: string, form: 'NFD' | 'NFC', isLong: boolean): string {
  if (!isLong) return text.normalize(form);
  let normalized = '';
  let start = 0;
  for (const { index, 0: run } of text.matchAll(longRun)) {
    const end = index + run.length;
    normalized += text.slice(start, end).normalize(form);
    start = end;
  }
  return normalized + text.slice(start).normalize(form);
}

/** Whether there may be 31 marks side by side. The expression looks more closely, and takes longer for all others. */
function hasLongRun(text: string): boolean {
  const marks = new MarkRun();
  for (let at = 0; at < text.length && !marks.isLong; at++) marks.add(text.charCodeAt(at));
  return marks.isLong;
}

/** Counts marks that are side by side. */
class MarkRun {
  readonly #kinds = kindsOfUnits();
  #run = 0;
  isLong = false;

  add(unit: number): void {
    if (unit < 0x300) {
      this.#run = 0;
      return;
    }
    const kinds = this.#kinds;
    if (kinds[unit] === 0) kinds[unit] = isMark.test(String.fromCharCode(unit)) ? 2 : 1;
    this.#run = kinds[unit] === 2 ? this.#run + 1 : 0;
    if (this.#run > 30) this.isLong = true;
  }
}

/** A half of a surrogate pair may belong to a mark. */
const isMark = /[\p{M}\ud800-\udfff]/u;

/** For each code unit 1 if it is no mark, 2 if it may be one, and 0 until it has been looked at. */
const kindsOfUnits = once(() => new Uint8Array(0x10000));

/** In the table of single units: the character must be looked up. */
const looked = 0xffff;

/** Made for the first text that is not ASCII. */
const folds = once(() => {
  const single = Uint16Array.from({ length: 0x10000 }, (_, unit) => (unit >= 0xd800 && unit <= 0xdfff ? looked : unit));
  const several = new Map<string, string>();
  const add = (from: number, to: readonly number[]): void => {
    const [only = looked, second] = to;
    if (from > looked || only > looked || second !== undefined) several.set(String.fromCodePoint(from), String.fromCodePoint(...to));
    if (from <= looked) single[from] = second === undefined && only < looked ? only : looked;
  };
  for (const [, first, sign, last, direction, distance] of singleFolds.matchAll(/([\da-f]+)(?:([-:])([\da-f]+))?([<>])([\da-f]+)/g)) {
    const step = (direction === '<' ? -1 : 1) * hex(distance);
    for (let point = hex(first); point <= hex(last ?? first); point += sign === ':' ? 2 : 1) add(point, [point + step]);
  }
  for (const [, from, to = ''] of fullFolds.matchAll(/([\da-f]+)=([\da-f+]+)/g)) add(hex(from), to.split('+').map(hex));
  return { single, several };
});

/**
 * The letters that may have accents: those of one code unit, as 1, or as 2 if others are read for them, and the longer
 * ones. Made for the first text that is not ASCII.
 */
const accented = once(() => {
  const short = new Uint8Array(0x10000);
  const long = new Set<number>();
  const plain = new Map<number, string>();
  for (const [, first, last] of accentedLetters.matchAll(/([\da-f]+)(?:-([\da-f]+))?/g))
    for (let point = hex(first); point <= hex(last ?? first); point++) {
      if (point < short.length) short[point] = 1;
      else long.add(point);
    }
  for (const [, from, letters = ''] of plainLetters.matchAll(/([\da-f]+)=([a-z]+)/g)) {
    short[hex(from)] = 2;
    plain.set(hex(from), letters);
  }
  return { short, long, plain };
});

function hex(digits = ''): number {
  return Number.parseInt(digits, 16);
}
