import type { Field, Fields, RawSchema } from '../../../src/model/define/schema.ts';
import { t } from '../../../src/model/define/t.ts';
import type { Any } from '../../support/any.ts';
import { js, messageOf } from '../misuse.ts';
import { modelWith } from '../subject.ts';

const listOfStrings = '`enum` of `value` must be an array of strings, because its type is string';
const containsItself = (path: string): string =>
  `\`${path}…\` is more than 64 levels deep; perhaps an object contains itself. Refer to a record with \`t.ref\`, or use \`t.any()\` for values of any depth.`;

/** An object whose fields are known only when it is there. */
function circular(fieldsOf: (node: Field) => Fields): Field {
  const node: Any = t.object('Node', {});
  Object.assign(node.properties, fieldsOf(node));
  return node;
}

describe('a configuration error names the field, the option and what is legal', () => {
  it.each<[string, () => Field | RawSchema, string]>([
    [
      'a misspelt option',
      () => js.string({ minLenght: 3 }),
      '`minLenght` of `value` is not a keyword of a field of type string; did you mean `minLength`?',
    ],
    [
      'an option of another type',
      () => js.boolean({ multipleOf: 2 }),
      '`multipleOf` of `value` is not a keyword of a field of type boolean. Allowed: type, bsonType, storedAs, title, description, examples, deprecated, policy, immutable, storeNone, default, ref, maintained, counter, unique, index, stored, computed, $comment.',
    ],
    [
      'a misspelt policy',
      () => js.string({ polcy: {} }),
      '`polcy` of `value` is not a keyword of a field of type string; did you mean `policy`?',
    ],
    [
      'a misspelt policy option',
      () => js.string({ policy: { privat: true } }),
      '`policy.privat` of field `value` is not a policy option; did you mean `private`?',
    ],
    [
      'a policy on a field that an embedded object does not have',
      () => js.object('Place', { city: js.string() }, { policy: { street: { private: true } } }),
      '`policy.street` of field `value` is not a policy option. Allowed: read, insert, update, private, filter, sort, aggregate, group, near.',
    ],
    [
      'an unknown policy option',
      () => js.string({ policy: { secret: true } }),
      '`policy.secret` of field `value` is not a policy option. Allowed: read, insert, update, private, filter, sort, aggregate, group, near.',
    ],
    ['a policy that is none', () => js.string({ policy: true }), '`policy` of field `value` must be an object.'],
    [
      'a policy flag that is no flag',
      () => js.string({ policy: { insert: 1 } }),
      '`policy.insert` of field `value` must be true, false, the name of a rule or an array of such names: letters, digits, `-` and `_`.',
    ],
    [
      'a filter that is no list',
      () => js.string({ policy: { filter: 'eq' } }),
      '`policy.filter` of field `value` must be true or an array of operators.',
    ],
    [
      'an unknown operator',
      () => js.string({ policy: { filter: ['eq', 'like'] } }),
      '`policy.filter` of field `value` names the unknown operator `like`. Allowed: eq, ne, in, nin, gt, gte, lt, lte, exists, prefix, contains.',
    ],
    [
      'an operator that the type does not have',
      () => t.int({ policy: { filter: ['prefix'] } }),
      '`policy.filter` of field `value` names `prefix`, which its type does not have. Allowed: eq, ne, in, nin, gt, gte, lt, lte, exists.',
    ],
    [
      'sort on a list',
      () => t.array(t.string(), { policy: { sort: true } }),
      '`policy.sort` of field `value` needs a single value: arrays, objects, maps, points and untyped values have no order.',
    ],
    [
      'a private field that may be filtered',
      () => t.string({ policy: { private: true, filter: true } }),
      'Field `value` is private: `policy.filter` would show its values. Leave that out.',
    ],
    [
      'immutable but open to updates',
      () => t.string({ immutable: true, policy: { update: true } }),
      '`value` is immutable: `policy.update: true` contradicts it.',
    ],
    ['a marker that is no flag', () => js.string({ immutable: 'yes' }), '`immutable` of `value` must be true or false.'],
    ['storeNone without null', () => js.string({ storeNone: true }), '`storeNone` of `value` needs a nullable field: use `t.nullable`.'],
    ['an unknown format', () => t.string({ format: 'emial' }), '`format` of `value` is unknown: `emial`; did you mean `email`?'],
    [
      'a format of numbers',
      () => t.string({ format: 'int32' }),
      expect.stringMatching(/^`format` of `value` is unknown: `int32`.*Allowed: date, .*uuid/) as never,
    ],
    [
      'a pattern that does not parse',
      () => t.string({ pattern: '(' }),
      expect.stringMatching(/^The schema of `value` is not valid: .*\(/) as never,
    ],
    ['a length that is no number', () => js.string({ minLength: '3' }), '`minLength` of `value` must be a whole number of at least 0.'],
    ['a length below 0', () => t.string({ maxLength: -1 }), '`maxLength` of `value` must be a whole number of at least 0.'],
    ['a fraction of an item', () => t.array(t.string(), { maxItems: 1.5 }), '`maxItems` of `value` must be a whole number of at least 0.'],
    ['a key too few', () => t.map(t.string(), { minProperties: -1 }), '`minProperties` of `value` must be a whole number of at least 0.'],
    ['a bound that is no number', () => t.float({ minimum: Number.NaN }), '`minimum` of `value` must be a number.'],
    ['a bound that is infinite', () => t.float({ exclusiveMaximum: Infinity }), '`exclusiveMaximum` of `value` must be a number.'],
    ['a multiple of 0', () => t.float({ multipleOf: 0 }), '`multipleOf` of `value` must be a number above 0.'],
    ['a pattern that is no text', () => js.string({ pattern: /a/ }), '`pattern` of `value` must be a string.'],
    [
      'names of keys that are no schema',
      () => t.map(t.string(), { propertyNames: { minLength: 'x' } as never }),
      expect.stringMatching(/^The schema of `value` is not valid: .*minLength/) as never,
    ],
    ['a title that is no text', () => js.string({ title: 5 }), '`title` of `value` must be a string.'],
    ['examples that are no list', () => js.int({ examples: 5 }), '`examples` of `value` must be an array.'],
    ['examples that are no JSON', () => js.int({ examples: [5n] }), expect.stringMatching(/^The schema of `value` is not JSON: /) as never],
    ['a mark that is neither true nor false', () => js.int({ deprecated: 'yes' }), '`deprecated` of `value` must be true or false.'],
    [
      'an int64 bound that is no integer',
      () => t.int64({ minimum: 0.5 }),
      '`minimum` of `value` must be an integer: a bigint, or a number within the safe range.',
    ],
    [
      'an int64 bound that was rounded',
      () => t.int64({ maximum: 2 ** 63 }),
      '`maximum` of `value` must be an integer: a bigint, or a number within the safe range.',
    ],
    [
      'a decimal bound that is no decimal',
      () => t.decimal({ minimum: 'ten' }),
      '`minimum` of `value` must be a decimal number, such as 12.50 or "12.50".',
    ],
    ['an enum without members', () => js.enum([]), '`enum` of `value` must have a member.'],
    [
      'an enum of numbers',
      () => js.enum([1, 2]),
      `${listOfStrings}; it has 1. For other values write the schema without a type: { enum: [1, 2] }.`,
    ],
    ['an enum of strings and numbers', () => js.enum(['a', 1]), expect.stringContaining('it has 1.') as never],
    ['an enum with null in it', () => js.enum(['a', [null]]), expect.stringContaining('it has [null].') as never],
    [
      'an `enum` of TypeScript',
      () => js.enum({ Red: 'red' }),
      '`enum` of `value` must be an array of values: for a TypeScript `enum` pass `Object.values(…)`.',
    ],
    ['an `enum` of TypeScript in a schema', () => ({ enum: { Red: 'red' } }), expect.stringContaining('Object.values') as never],
    ['an enum with a member twice', () => t.enum(['red', 'blue', 'red']), '`enum` of `value` has the member "red" twice: remove one.'],
    ['a schema with a member twice', () => ({ enum: [1, { a: 1, b: 2 }, { b: 2, a: 1 }] }), expect.stringContaining('twice') as never],
    [
      'a nullable enum with a member twice',
      () => t.nullable(t.enum(['a', 'a'])),
      '`enum` of `value` has the member "a" twice: remove one.',
    ],
    ['an object that contains itself', () => circular((node) => ({ self: node })), containsItself('value.self.self')],
    [
      'one that does so optionally',
      () => circular((node) => ({ a: t.string(), self: t.optional(node) })),
      containsItself('value.self.self'),
    ],
    ['one that does so in a list', () => circular((node) => ({ all: t.array(node) })), containsItself('value.all.*')],
    [
      'one that does so by way of another and of a map',
      () => circular((node) => ({ b: t.object('B', { byKey: t.map(node), again: t.nullable(node) }) })),
      containsItself('value.b.byKey'),
    ],
    [
      'a type that contradicts the stored one',
      () => ({ type: 'number', bsonType: 'date' }),
      '`type` of `value` must be `string`, the JSON form of a field of type date.',
    ],
    [
      'an unknown stored type',
      () => ({ bsonType: 'data' }),
      '`bsonType` of `value` must be one of int, long, double, decimal, date, objectId, binData, point.',
    ],
    ['no schema at all', () => 'string' as never, 'The schema of `value` must be an object: a builder of `t`, or a JSON Schema.'],
    ['a default of another type', () => js.int({ default: 'five' }), 'The `default` of `value` does not fit: `value` must be an integer.'],
    [
      'a default that breaks a constraint',
      () => t.string({ maxLength: 2, default: 'abc' }),
      'The `default` of `value` does not fit: `value` must have at most 2 characters.',
    ],
    [
      'a default null on a field that is not nullable',
      () => js.string({ default: null }),
      'The `default` of `value` does not fit: `value` must not be null.',
    ],
    [
      'a default of an embedded object without a required key',
      () => js.object('A', { a: t.string(), b: t.int() }, { default: { a: 'x' } }),
      'The `default` of `value` does not fit: `value.b` is required.',
    ],
    [
      'a policy on an item',
      () => t.array(t.string({ policy: { private: true } })),
      '`value.*` cannot have `policy`: give it to the field, not to the items of an array or a map.',
    ],
    [
      'a default on an item',
      () => t.map(t.int({ default: 0 })),
      '`value.*` cannot have `default`: give it to the field, not to the items of an array or a map.',
    ],
    [
      'an optional item',
      () => t.array(t.optional(t.string())),
      '`value.*` cannot be optional: an item of an array or a map may be null (`t.nullable`), but not absent.',
    ],
    [
      'a revision in a list',
      () => t.array(t.revision()),
      '`value.*` cannot have `default`: give it to the field, not to the items of an array or a map.',
    ],
    [
      'a revision in an object',
      () => t.object('A', { r: t.revision() }),
      '`value.r` cannot be a revision or a timestamp: only the record itself has these, not an embedded object.',
    ],
    [
      'a revision that may be null',
      () => t.nullable(t.revision()),
      '`value` is set by the service: it can be neither optional nor nullable.',
    ],
    [
      'a revision that clients may set',
      () => t.revision({ policy: { update: true } }),
      '`value` is set by the service: `policy.insert` and `policy.update` cannot open it.',
    ],
    [
      'a revision that is private',
      () => t.revision({ policy: { private: true } }),
      'The revision `value` cannot be private: every `ETag` shows it.',
    ],
    [
      'a revision that is no integer',
      () => ({ type: 'string', maintained: 'revision' }),
      'The revision `value` must be an integer: use `t.revision()`.',
    ],
    ['a timestamp that is no date', () => ({ type: 'string', maintained: 'createdAt' }), '`value` must be a date: use `t.createdAt()`.'],
    [
      'a time of deletion that may be null',
      () => t.nullable(t.deletedAt()),
      '`value` is absent as long as the record lives, and never null: use `t.deletedAt()` alone.',
    ],
    [
      'a required time of deletion',
      () => ({ type: 'string', format: 'date-time', bsonType: 'date', maintained: 'deletedAt' }),
      '`value` is absent as long as the record lives, and never null: use `t.deletedAt()` alone.',
    ],
    [
      'a time of deletion that is unique',
      () => js.deletedAt({ unique: true }),
      '`value` cannot be unique: several records may be deleted at the same time.',
    ],
    [
      'a time of deletion with a default',
      () => js.deletedAt({ default: new Date() }),
      '`t.deletedAt` takes no `default`, because the service sets the field.',
    ],
    [
      'a time of deletion that clients may write',
      () => js.deletedAt({ policy: { update: true } }),
      '`value` is set by the service: `policy.insert` and `policy.update` cannot open it.',
    ],
    [
      'an unknown mark',
      () => ({ type: 'string', maintained: 'removedAt' }),
      '`maintained` of `value` must be revision, createdAt, updatedAt or deletedAt.',
    ],
    [
      'a reference without a model',
      () => js.ref(''),
      '`ref` of `value` must be { model, as?, resource?, exists?, onDelete? }: the name of a model, the name under which an included record is added, the path of a resource, and what is required of the record.',
    ],
    [
      'a reference under an odd name',
      () => t.ref('A', { as: 'a.b' }),
      '`ref` of `value` must be { model, as?, resource?, exists?, onDelete? }: the name of a model, the name under which an included record is added, the path of a resource, and what is required of the record.',
    ],
    [
      'a reference under a name that no query can have',
      () => t.ref('A', { as: 'a,b' }),
      '`ref` of `value` must be { model, as?, resource?, exists?, onDelete? }: the name of a model, the name under which an included record is added, the path of a resource, and what is required of the record.',
    ],
    [
      'a reference that hides a field',
      () => t.ref('A', { as: 'value' }),
      "`as: 'value'` of `value` is already the name of a field or another `as`.",
    ],
    [
      'an embedded object without a name',
      () => js.object({ a: t.string() }, {}),
      "The name of the embedded object `value` may have only letters, digits, dots, hyphens and underscores: `t.object('Address', { … })`.",
    ],
    [
      'a misspelt option deep inside',
      () => t.array(t.object('A', { m: t.map(js.int({ minimun: 0 })) })),
      '`minimun` of `value.*.m.*` is not a keyword of a field of type int; did you mean `minimum`?',
    ],
    [
      'a misspelt policy deep inside',
      () => t.map(t.object('A', { a: js.string({ policy: { updat: false } }) })),
      '`policy.updat` of field `value.*.a` is not a policy option; did you mean `update`?',
    ],
  ])('%s', (_name, field, message) => {
    expect(messageOf(() => modelWith(field()))).toEqual(message);
  });
});
