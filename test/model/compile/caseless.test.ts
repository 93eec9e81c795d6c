import * as z from 'zod';
import { defineModel, t, toJsonSchema } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';

const compile = (fields: object, more: object = {}) => compileModel(defineModel('Note', { collection: 'notes', fields, ...more } as never));
const Inner = t.object('Inner', { text: t.string({ caseless: true }) });

describe('`caseless`', () => {
  it.each<[what: string, fields: object, message: RegExp]>([
    ['another value', { text: t.string({ caseless: 'yes' as never }) }, /`caseless` of `text` must be true, false, or { accents: false }/],
    ['another option', { text: t.string({ caseless: { accent: false } as never }) }, /`caseless` of `text` must be/],
    ['an option of another type', { text: t.string({ caseless: { accents: 1 } as never }) }, /`caseless` of `text` must be/],
    ['a number', { text: { type: 'integer', caseless: true } }, /`caseless` of `text` is not a keyword of a field of type int/],
    ['an enum', { text: { enum: ['a'], caseless: true } }, /`caseless` of `text` is not a keyword of a field of type enum/],
    ['an id', { id: t.string({ caseless: true }) }, /`id` cannot be `caseless`/],
    ['a reference', { to: t.ref('Note', { id: t.string({ caseless: true }) }) }, /`to` cannot be `caseless`: a reference/],
    ['references', { to: t.array(t.ref('Note', { id: t.string({ caseless: true }) })) }, /`to` cannot be `caseless`: a reference/],
    ['a map', { texts: t.map(t.string({ caseless: true })) }, /`caseless` of `texts`: its texts are in a map/],
    ['a map of arrays', { texts: t.map(t.array(t.string({ caseless: true }))) }, /`caseless` of `texts`: its texts are in a map/],
    [
      'an array of arrays',
      { texts: t.array(t.array(t.string({ caseless: true }))) },
      /`caseless` of `texts`: its texts are in an array of arrays/,
    ],
    [
      'a private unique field',
      { text: t.string({ caseless: true, unique: true, policy: { private: true } }) },
      /compares `text`, which is private/,
    ],
  ])('is no option of %s', (_what, fields, message) => {
    expect(() => compile(fields)).toThrow(message);
  });

  it('is refused in a unique index with a private field that is given by its folded key', () => {
    const index = { key: { 'text[fold2]': 1 }, unique: true };
    expect(() => compile({ text: t.string({ caseless: true, policy: { private: true } }) }, { indexes: [index] })).toThrow(
      /unique index of model `Note` compares `text`, which is private/,
    );
  });

  it('is an option of a string of another library, and of no other value', () => {
    expect(compile({ mail: t.from(z.email(), { caseless: true, unique: true }) }).indexes[0]?.key).toEqual([['mail[case1]', 1]]);
    expect(() => compile({ count: t.from(z.int(), { caseless: true }) })).toThrow(/`caseless` of `count` is not a keyword/);
    expect(() => compile({ any: t.from({ minLength: 1 }, { caseless: true }) })).toThrow(/caseless/);
    expect(() => compile({ any: { anyOf: [{ type: 'string' }, { type: 'number' }], caseless: true } })).toThrow(/caseless/);
  });

  it('stays an option of a nullable or optional string, whatever is around it', () => {
    const nullable = t.nullable(t.string({ caseless: true }), { policy: { filter: true } });
    const { clientFields } = compile({ a: nullable, b: t.optional(nullable), c: t.optional(t.string({ caseless: true })) });
    expect([...clientFields.values()].map(({ path }) => path)).toEqual(['_id', 'a[fold2]', 'b[fold2]', 'c[fold2]']);
  });

  it('leaves the schemas of clients as they are', () => {
    const plain = defineModel('Note', { collection: 'notes', fields: { text: t.string({ maxLength: 5 }) } });
    const caseless = defineModel('Note', { collection: 'notes', fields: { text: t.string({ maxLength: 5, caseless: true }) } });
    for (const shape of ['read', 'create', 'patch', 'put'] as const)
      expect(toJsonSchema(caseless, shape)).toEqual(toJsonSchema(plain, shape));
  });

  it('costs a model without such a field nothing', () => {
    expect(compile({ text: t.string({ caseless: false }), map: t.map(Inner), lists: t.array(t.array(Inner)) }).folds).toBeUndefined();
  });

  it('hides the folded values of private fields from reads', () => {
    const { privatePaths } = compile({
      seen: t.string({ caseless: true }),
      secret: t.nullable(t.string({ caseless: true, policy: { private: true } })),
      within: t.object('Within', { secret: t.string({ caseless: { accents: false }, policy: { private: true } }) }),
      box: t.object('Box', { text: t.string({ caseless: true }) }, { policy: { private: true } }),
    });
    expect(privatePaths).toEqual(['secret', 'secret[fold2]', 'secret[case1]', 'within.secret', 'within.secret[fold2]', 'box']);
  });
});
