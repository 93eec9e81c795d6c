import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { foldCase, foldText } from '../../../src/model/fold/fold-text.ts';
import { cases } from '../../support/fuzzing/fuzz.ts';

/** What Python 3.11 (Unicode 14) says of every character: `chr(c).casefold()`, where it differs from `chr(c)`. */
const python = new Map(
  readFileSync(join(import.meta.dirname, 'casefold-14.txt'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): [string, string] => {
      const [from = '', ...to] = line;
      return [from, to.join('')];
    }),
);

/** Characters that Unicode 15 and 16 have added with a case, of which Python 3.11 does not know. */
const newer = new Map(
  [
    [0x1c89, 0x1c8a],
    [0xa7cb, 0x264],
    [0xa7cc, 0xa7cd],
    [0xa7da, 0xa7db],
    [0xa7dc, 0x19b],
    ...Array.from({ length: 22 }, (_, index) => [0x10d50 + index, 0x10d70 + index]),
  ].map(([from = 0, to = 0]) => [String.fromCodePoint(from), String.fromCodePoint(to)]),
);

/** Canonical caseless matching (D145), written from the standard. */
function reference(text: string): string {
  const fold = (character: string) => python.get(character) ?? newer.get(character) ?? character;
  return [...text.normalize('NFD')].map(fold).join('').normalize('NFD');
}

/** The accents removed by walking, with the properties of this process. */
function withoutAccents(apart: string): string {
  let [kept, isLetter] = ['', false];
  for (const character of apart) {
    const isMark = character >= '\u0300' && character <= '\u036f';
    if (isMark && isLetter) continue;
    isLetter = /^[\p{L}]$/u.test(character) && /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]$/u.test(character);
    kept += character;
  }
  return kept;
}

/** Letters of the Latin script without a decomposition: `unaccent.rules` of PostgreSQL reads them in the same way. */
const plain = new Map(
  Object.entries({
    æ: 'ae',
    ð: 'd',
    ø: 'o',
    þ: 'th',
    đ: 'd',
    ħ: 'h',
    ı: 'i',
    ł: 'l',
    ŋ: 'n',
    œ: 'oe',
    ŧ: 't',
    ƀ: 'b',
    ɓ: 'b',
    ɛ: 'e',
    ɨ: 'i',
  }),
);

/** Every character but surrogates and the planes of Chinese characters, of which the random texts have some. */
const characters = [
  ...Array.from({ length: 0x20000 }, (_, point) => point),
  ...Array.from({ length: 0x1000 }, (_, point) => 0xe0000 + point),
]
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point));

/** Letters that Unicode 17 has added: a Node that knows them takes their accents, and the table of 16 does not. */
const later = new Set(['\ua7ce', '\ua7cf', '\ua7d2', '\ua7d4', '\ua7f1']);

/** Whether a letter that is folded may be read as others. */
function isPlain(letter: string): boolean {
  return letter > '\x7f' && /^[a-z]+$/.test(foldText(letter)) && letter.normalize('NFD') === letter;
}

const anyText = fc.string({ unit: 'binary' });

describe('foldCase', () => {
  it('folds every character as Unicode does', () => {
    const wrong = characters.filter((one) => foldCase(one) !== reference(one).normalize('NFC'));
    expect(wrong).toEqual([]);
  });

  it('folds texts of all planes as Unicode does', () => {
    const cased = fc.constantFrom(...python.keys(), '\u0301', '\u0323', '\u0345', '\u0307', 'a', 'ß', 'क', '़');
    const text = fc.oneof(anyText, fc.string({ unit: cased }));
    fc.assert(
      fc.property(text, (one) => {
        expect(foldCase(one)).toBe(reference(one).normalize('NFC'));
      }),
      cases(2_000),
    );
  });

  it.each([
    ['Straße', 'strasse'],
    ['ΣΊΣΥΦΟΣ', 'σίσυφοσ'],
    ['σίσυφος', 'σίσυφοσ'],
    ['ZÜRICH', 'zürich'],
    ['Zu\u0308rich', 'zürich'],
    ['ﬃ', 'ffi'],
    ['İ', 'i\u0307'],
    ['ı', 'ı'],
    ['ᾳ', 'αι'],
    ['Ǆ', 'ǆ'],
    ['ᏸ', 'Ᏸ'],
    ['$where\0', '$where\0'],
    ['', ''],
  ])('folds %j to %j', (text, folded) => {
    expect(foldCase(text)).toBe(folded);
  });
});

describe('foldText', () => {
  it('takes accents from letters of the Latin, Greek and Cyrillic scripts only', () => {
    const wrong = characters
      .filter((one) => !later.has(one) && !isPlain(foldCase(one).normalize('NFD').charAt(0)))
      .filter((one) => foldText(`${one}\u0301\u0323x`) !== withoutAccents(reference(`${one}\u0301\u0323x`)).normalize('NFC'));
    expect(wrong).toEqual([]);
  });

  it.each([...plain])('reads %s as %s, with an accent or in upper case, too', (letter, read) => {
    for (const one of [letter, letter.toUpperCase(), `${letter}\u0301`]) expect(foldText(one)).toBe(read);
  });

  it('reads letters as others only if they are of the Latin script, and without a decomposition', () => {
    const read = characters.filter((one) => isPlain(one) && foldText(one) !== foldCase(one));
    expect(read.length).toBeGreaterThan(200);
    expect(read.filter((one) => !/^\p{Script=Latin}$/u.test(one) || one.normalize('NFKD') !== one)).toEqual([]);
    expect(read.filter((one) => !/^[a-z]{1,2}$/.test(foldText(one)))).toEqual([]);
  });

  it('folds a folded text to itself', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(foldText(foldText(text))).toBe(foldText(text));
        expect(foldText(foldCase(text))).toBe(foldText(text));
      }),
    );
  });

  it('folds canonically equivalent texts alike', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(foldText(text.normalize('NFD'))).toBe(foldText(text.normalize('NFC')));
      }),
    );
  });

  it.each([
    ['Zürich', 'zurich'],
    ['ZU\u0308RICH', 'zurich'],
    ['Żółw', 'zolw'],
    ['Ærø', 'aero'],
    ['Østergård', 'ostergard'],
    ['Łukasz Đurić', 'lukasz duric'],
    ['Diyarbakır', 'diyarbakir'],
    ['Œuvre, groß', 'oeuvre, gross'],
    ['Þórður', 'thordur'],
    ['Ἀθῆναι', 'αθηναι'],
    ['ᾴ', 'αι'],
    ['Ёлка и Йод', 'елка и иод'],
    ['İstanbul', 'istanbul'],
    ['Phở', 'pho'],
    ['ก็ ก่ ก้', 'ก็ ก่ ก้'],
    ['की कि क़', 'की कि क़'],
    ['がか', 'がか'],
    ['שָׁלוֹם', 'שָׁלוֹם'.normalize('NFC')],
    ['1\u0301', '1\u0301'],
    ['각', '각'],
  ])('folds %j to %j', (text, folded) => {
    expect(foldText(text)).toBe(folded);
  });

  it('folds a text of many marks, which a sort of all of them would take minutes for', () => {
    const marks = `a${'\u0301\u0323'.repeat(250_000)}`;
    expect(foldText(marks)).toBe('a');
    expect(foldCase(`${marks}${'\u0323'.repeat(250_000)}`).length).toBeGreaterThan(700_000);
  });
});

describe.each([
  ['foldCase', foldCase],
  ['foldText', foldText],
] as const)('%s', (_name, fold) => {
  it('folds a long text as its parts', () => {
    const parts = [...characters, 'é'.repeat(9_001), '𐐀'.repeat(5_000), `e${'\u0301\u0323'.repeat(400)}`, 'ﬃ'.repeat(9_000)];
    expect(fold(parts.join(' ')) === parts.map(fold).join(' ')).toBe(true);
  });
});
