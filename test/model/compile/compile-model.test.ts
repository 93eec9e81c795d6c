import { compileModel } from '../../../src/model/compile/compile-model.ts';
import type { Fields } from '../../../src/model/define/schema.ts';
import { t } from '../../../src/model/define/t.ts';
import { js, messageOf } from '../misuse.ts';
import { modelOf } from '../subject.ts';

describe('a configuration error names the model, the field and what is legal', () => {
  it.each([['a.b'], ['$where'], [''], ['__proto__'], ['_bsontype'], ['a\0'], ['a[0]'], ['\ud800']])('%j is not a field name', (name) => {
    const fields = Object.fromEntries([[name, t.string()]]);
    expect(messageOf(() => modelOf({ inner: t.object('Inner', fields) }))).toContain('is not a valid field name');
  });

  it.each<[string, Fields, string]>([
    ['two times of deletion', { a: t.deletedAt(), b: t.deletedAt() }, 'A model has one `deletedAt` at most: `a` and `b` are two.'],
    [
      'the key of deletions as a field',
      { a: t.deletedAt(), _deletion: t.string() },
      'A model with `t.deletedAt()` cannot have a field stored as `_deletion`: the service stores the id of a deletion there.',
    ],
    [
      'the key of deletions as a stored key',
      { a: t.deletedAt(), b: t.string({ stored: '_deletion' }) },
      'A model with `t.deletedAt()` cannot have a field stored as `_deletion`: the service stores the id of a deletion there.',
    ],
    ['two revisions', { a: t.revision(), b: t.revision() }, 'A model has one `revision` at most: `a` and `b` are two.'],
    ['an `_id`', { _id: t.string() }, 'A model declares its id as `id`; it is stored as `_id`.'],
    ['an optional id', { id: t.optional(t.string()) }, '`id` can be neither optional nor nullable.'],
    ['a nullable id', { id: t.nullable(t.string()) }, '`id` can be neither optional nor nullable.'],
    ['a private id', { id: t.string({ policy: { private: true } }) }, '`id` cannot be private: it is the path of the record.'],
    ['an id that may change', { id: t.string({ policy: { update: true } }) }, '`id` never changes: `policy.update: true` contradicts it.'],
    ['a list as id', { id: t.array(t.string()) }, '`id` must be a single value: a string, a number, a UUID, an ObjectId, ….'],
    ...['', '.', '..', 'a\0', 'x'.repeat(513)].map((member): [string, Fields, string] => [
      `an enum as id with the member ${JSON.stringify(member.slice(0, 9))}`,
      { id: t.enum(['a', member]) },
      `\`id\` has the member \`${member}\`, which a URL path cannot address: a member must have 1 to 512 characters without NUL, and be neither \`.\` nor \`..\`.`,
    ]),
    [
      'a decimal as id',
      { id: t.decimal() },
      '`id` cannot be a decimal: 1.0 and 1.00 are equal, so that a record would have several paths.',
    ],
    ['an untyped id', { id: t.any() }, '`id` must be a single value: a string, a number, a UUID, an ObjectId, ….'],
  ])('%s', (_name, fields, message) => {
    expect(messageOf(() => modelOf(fields))).toBe(message);
  });

  it('all fields with a mistake are named at once, and the model with each', () => {
    const fields = { a: js.string({ minLenght: 1 }), b: t.object('B', { c: js.int({ minimun: 0 }) }), d: t.string() };
    expect(() => modelOf(fields)).toThrow(
      [
        '2 mistakes:',
        '- Model `Thing`: `minLenght` of `a` is not a keyword of a field of type string; did you mean `minLength`?',
        '- Model `Thing`: `minimun` of `b.c` is not a keyword of a field of type int; did you mean `minimum`?',
      ].join('\n'),
    );
  });

  it('what is no model is refused', () => {
    for (const other of [undefined, {}, { name: 'A', collection: 'a' }]) {
      expect(messageOf(() => compileModel(other as never))).toBe('A `model` is what `defineModel(name, { collection, fields })` returns.');
    }
  });
});
