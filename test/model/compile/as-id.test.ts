import type { FieldSchema } from '../../../src/model/define/schema.ts';
import { t } from '../../../src/model/define/t.ts';
import { create, errorsOf, modelOf, refusals } from '../subject.ts';

const open = { policy: { insert: true } };
const idOf = (field: FieldSchema) => modelOf({ id: field });
const tooShort = { field: 'id', rule: 'minLength', message: 'must have at least 1 character', params: { limit: 1 } };
const tooLong = { field: 'id', rule: 'maxLength', message: 'must have at most 512 characters', params: { limit: 512 } };
const notAddressable = { field: 'id', rule: 'not_addressable', message: 'must not be . or .., nor have a NUL character' };

describe('an id of text', () => {
  it.each(['a', '...', '.a', 'a.', '..a', 'a..', '.a.', 'ä/ü?#', ' ', 'x'.repeat(512), '\u{1f600}'.repeat(512)])('may be %.20j', (id) => {
    expect(() => create(idOf(t.string(open)), { id })).not.toThrow();
  });

  it.each([
    ['', tooShort],
    ['.', notAddressable],
    ['..', notAddressable],
    ['\0', notAddressable],
    ['.\0', notAddressable],
    ['..\0', notAddressable],
    ['a\0', notAddressable],
    ['...\0', notAddressable],
    ['x'.repeat(513), tooLong],
    ['\u{1f600}'.repeat(513), tooLong],
  ])('cannot be %.20j, which no path could address', (id, error) => {
    expect(errorsOf(() => create(idOf(t.string(open)), { id }))).toEqual([error]);
  });

  it('keeps the constraints of its own, which come first', () => {
    const model = idOf(t.string({ ...open, minLength: 3, maxLength: 5, pattern: '^[a-z.]+$' }));
    expect(refusals(() => create(model, { id: '..' }))).toEqual(['id must have at least 3 characters']);
    expect(refusals(() => create(model, { id: 'abcdef' }))).toEqual(['id must have at most 5 characters']);
    expect(() => create(model, { id: 'abc' })).not.toThrow();
  });

  it.each([
    [t.string(), { minLength: 1, maxLength: 512, pattern: expect.any(String) }],
    [t.string({ minLength: 3, maxLength: 5 }), { minLength: 3, maxLength: 5, pattern: expect.any(String) }],
    [t.string({ minLength: 0, maxLength: 600 }), { minLength: 1, maxLength: 512, pattern: expect.any(String) }],
    [
      t.string({ pattern: '^a' }),
      { minLength: 1, maxLength: 512, pattern: '^a', allOf: [{ type: 'string', pattern: expect.any(String) }] },
    ],
  ])('publishes what it takes: %#', (field, keywords) => {
    const { node } = idOf(field).id;
    expect(node.kind === 'leaf' && node.keywords).toEqual(keywords);
  });
});

describe('an id of bytes', () => {
  const model = idOf(t.binary(open));

  it('has one at least, and publishes that', () => {
    expect(() => create(model, { id: 'AA==' })).not.toThrow();
    expect(errorsOf(() => create(model, { id: '' }))).toEqual([tooShort]);
    const { node } = model.id;
    expect(node.kind === 'leaf' && node.keywords).toEqual({ minLength: 1 });
  });
});

describe('an id of an enum', () => {
  it.each(['', '.', '..', 'a\0', 'x'.repeat(513)])('cannot have the member %.20j', (member) => {
    expect(() => idOf(t.enum(['a', member], open))).toThrow(`\`id\` has the member \`${member}\`, which a URL path cannot address`);
  });

  it('may have any other', () => {
    const { constraint } = idOf(t.enum(['a', '...'], open)).id;
    expect(constraint).toBeUndefined();
  });
});

it('an id of another type is taken as it is', () => {
  const { node, constraint } = idOf(t.int(open)).id;
  expect([node.kind === 'leaf' && node.keywords, constraint]).toEqual([{}, undefined]);
});
