import { compileModel } from '../../../src/model/compile/compile-model.ts';
import type { QueryField } from '../../../src/model/compile/query-fields.ts';
import { defineModel } from '../../../src/model/define/define-model.ts';
import { t } from '../../../src/model/define/t.ts';
import { beginning, part, refuseText } from '../../../src/model/operators/sought-text.ts';
import { buildFilter } from '../../../src/mongo/predicate/filter-of.ts';

const policy = { filter: ['prefix'] } as const;
const fields = { plain: t.string({ policy }), caseless: t.string({ caseless: true, policy }), ids: t.array(t.string(), { policy }) };
const { clientFields } = compileModel(defineModel('Doc', { collection: 'docs', fields }));
const fieldOf = (name: string) => clientFields.get(name) as QueryField;

/** Prefixes whose patterns have 16,384 bytes, and what makes each of them longer by one or a few. */
const longest: readonly (readonly [what: string, field: string, prefix: string, more: string])[] = [
  ['letters', 'plain', 'a'.repeat(16_383), 'a'],
  ['escaped characters', 'plain', `${'.'.repeat(8_191)}a`, '.'],
  ['characters of two bytes', 'plain', `${'ü'.repeat(8_191)}a`, 'ü'],
  ['characters of three bytes', 'plain', '€'.repeat(5_461), '€'],
  ['characters of four bytes', 'plain', `${'😀'.repeat(4_095)}abc`, '😀'],
  ['items of an array', 'ids', 'a'.repeat(16_383), 'a'],
  ['capitals that are folded to three letters', 'caseless', 'ﬃ'.repeat(5_461), 'A'],
  ['a letter that is folded to three of four bytes', 'caseless', `${'\u{1D160}'.repeat(1_365)}abc`, '\u{1D160}'],
];

describe('refuseText()', () => {
  it.each(longest)('counts the bytes of the pattern: %s', (_what, name, prefix, more) => {
    expect(refuseText(fieldOf(name), prefix, beginning)).toBeUndefined();
    const refusal = refuseText(fieldOf(name), prefix + more, beginning);
    const bytes = Buffer.byteLength(patternOf(name, prefix + more));
    expect(refusal).toMatchObject({ rule: 'prefix_too_large', params: { limit: 16_384 } });
    expect(refusal?.message).toBe(`must be a pattern of at most 16384 bytes for MongoDB, and is one of ${bytes}`);
  });

  it('takes every prefix of 1,365 characters, however long they are without case', () => {
    for (const character of ['\u{1D160}', '\u{10FFFF}', 'ΐ', '-'])
      for (const name of ['plain', 'caseless']) expect(refuseText(fieldOf(name), character.repeat(1_365), beginning)).toBeUndefined();
  });

  it.each([
    ['a beginning', beginning, { min: 0, max: 7 }],
    ['a part', part, { min: 2, max: 100 }],
  ])('bounds the characters of %s, each as one code point', (_what, sought, { min, max }) => {
    const refuse = (length: number) => refuseText(fieldOf('plain'), '😀'.repeat(length), sought, { maxPrefix: 7 });
    expect([refuse(min), refuse(max)]).toEqual([undefined, undefined]);
    const tooLong = { rule: 'maxLength', message: `must have at most ${max} characters`, params: { limit: max } };
    expect(refuse(max + 1)).toMatchObject(tooLong);
    if (min === 0) return;
    const tooShort = { rule: 'minLength', message: `must have at least ${min} characters`, params: { limit: min } };
    expect(refuse(min - 1)).toMatchObject(tooShort);
  });

  it('has no greatest number of characters for the application', () => {
    for (const sought of [beginning, part]) expect(refuseText(fieldOf('plain'), 'a'.repeat(8_001), sought)).toBeUndefined();
  });
});

function patternOf(name: string, value: string): string {
  const [condition] = Object.values(buildFilter([{ field: fieldOf(name), operator: 'prefix', value }])) as { $regex: string }[];
  return condition?.$regex ?? '';
}
