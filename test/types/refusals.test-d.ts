import { service } from '../../src/api/service.ts';
import { defineModel } from '../../src/model/define/define-model.ts';
import { t } from '../../src/model/define/t.ts';

// A typo in an option, a policy or an operator does not compile.

// @ts-expect-error: `minLenght` is not an option
t.string({ minLenght: 3 });
// @ts-expect-error: a string has no minimum
t.string({ minimum: 3 });
// @ts-expect-error: lengths are numbers
t.string({ minLength: '3' });
// @ts-expect-error: a number has no case
t.int({ caseless: true });
// @ts-expect-error: `accent` is not an option
t.string({ caseless: { accent: false } });
// @ts-expect-error: `privat` is not a policy option
t.string({ policy: { privat: true } });
// @ts-expect-error: a misspelt policy option beside a right one
t.string({ policy: { private: true, updat: false } });
// @ts-expect-error: `like` is no operator
t.string({ policy: { filter: ['eq', 'like'] } });
// @ts-expect-error: a list of operators, or true
t.string({ policy: { filter: 'eq' } });
// @ts-expect-error: false is no list of operators
t.string({ policy: { filter: false } });
// @ts-expect-error: `storeNone` belongs to `t.nullable`
t.string({ storeNone: true });
// @ts-expect-error: immutable is a flag
t.int({ immutable: 'yes' });
// @ts-expect-error: the bounds of an int are numbers
t.int({ minimum: 5n });
// @ts-expect-error: an int64 has no multipleOf
t.int64({ multipleOf: 2 });
// @ts-expect-error: a boolean has no minimum
t.boolean({ minimum: 1 });
// @ts-expect-error: `maxItem` is not an option
t.array(t.string(), { maxItem: 3 });
// @ts-expect-error: `propertyName` is not an option
t.map(t.string(), { propertyName: {} });
// @ts-expect-error: `storNone` is not an option
t.nullable(t.string(), { storNone: true });
// @ts-expect-error: `t.optional` has no storeNone
t.optional(t.string(), { storeNone: true });
// @ts-expect-error: a misspelt policy on a wrapper
t.nullable(t.string(), { policy: { insrt: true } });
// @ts-expect-error: a misspelt policy on an object
t.object('O', { a: t.string() }, { policy: { filtr: true } });
// @ts-expect-error: an object has a name
t.object({ a: t.string() });
// @ts-expect-error: a misspelt option of a reference
t.ref('Other', { ass: 'other' });
// @ts-expect-error: the path of a resource
t.ref('Other', { resource: 5 });
// @ts-expect-error: a reference names a model
t.ref({ as: 'other' });
// @ts-expect-error: an enum has a member at least
t.enum([]);
// @ts-expect-error: members are strings
t.enum([1, 2]);
// @ts-expect-error: the revision starts at 0
t.revision({ minimum: 5 });
// @ts-expect-error: the service sets it
t.revision({ default: 5 });

// A default has the type of the field, as handlers hold it; `given.test-d.ts` has what else is legal.

// @ts-expect-error: `shut` is no member
t.enum(['open', 'closed'], { default: 'shut' });
// @ts-expect-error: a string is no number
t.int({ default: '5' });
// @ts-expect-error: a text is no int64
t.int64({ default: '5' });
// @ts-expect-error: a decimal is a number or a text
t.decimal({ default: true });
// @ts-expect-error: a date is a Date
t.date({ default: '2026-01-31T12:00:00Z' });
// @ts-expect-error: a function makes the value
t.date({ default: () => 'now' });
// @ts-expect-error: items are strings
t.array(t.string(), { default: [5] });
// @ts-expect-error: members are numbers
t.map(t.int(), { default: { a: 'x' } });
// @ts-expect-error: the object lacks a required key
t.object('O', { a: t.string(), b: t.int() }, { default: { a: 'x' } });
// @ts-expect-error: null needs t.nullable
t.string({ default: null });
// @ts-expect-error: a wrapper's default has the type of what it wraps
t.nullable(t.int(), { default: 'x' });

// @ts-expect-error: `colection` is not an option
defineModel('A', { colection: 'a', fields: {} });
// @ts-expect-error: a model has fields
defineModel('A', { collection: 'a' });
// @ts-expect-error: a field is a schema
defineModel('A', { collection: 'a', fields: { a: 'string' } });
// @ts-expect-error: a misspelt policy in a schema written by hand
defineModel('A', { collection: 'a', fields: { a: { type: 'string', policy: { privat: true } } } });
// @ts-expect-error: an unknown operator in a schema written by hand
defineModel('A', { collection: 'a', fields: { a: { type: 'string', policy: { filter: ['like'] } } } });

// What is legal compiles.
t.string({ minLength: 1, pattern: '^a', policy: { insert: true, update: false, filter: true, sort: true } });
t.decimal({ minimum: '0.01', maximum: 100, policy: { filter: ['gte', 'lt'] } });
t.int64({ minimum: 0, maximum: 2n ** 62n, default: 5n });
t.array(t.object('O', { a: t.optional(t.string()) }), { default: [{ a: 'x' }, {}], uniqueItems: true });
t.nullable(t.object('O', { a: t.string() }), { default: { a: 'x' }, storeNone: true, policy: { update: false } });
t.enum(['a', 'b'], { default: () => 'a' });
enum Colour {
  Red = 'red',
  Blue = 'blue',
}
t.enum(Object.values(Colour), { default: Colour.Red });
// @ts-expect-error: `green` is no member
t.enum(Object.values(Colour), { default: 'green' });
// @ts-expect-error: an enum itself is no list
t.enum(Colour);
t.any({ default: null });

const fields = { owner: t.string(), place: t.object('Place', { city: t.string() }) };
// @ts-expect-error: unique is a flag
t.string({ unique: 'yes' });
// @ts-expect-error: `onwer` is not a field
defineModel('Indexed', { collection: 'indexed', fields, indexes: [{ fields: ['onwer'] }] });
// @ts-expect-error: `uniqe` is not an option of an index
defineModel('Indexed', { collection: 'indexed', fields, indexes: [{ fields: ['owner'], uniqe: true }] });
const plain = defineModel('Indexed', { collection: 'indexed', fields });
// @ts-expect-error: `onwer` is not a field
service().resource({ model: plain, scope: () => ({ owner: 'ann' }), scopeFields: ['onwer'] });

// What is right does.
const Indexed = defineModel('Indexed', {
  collection: 'indexed',
  fields,
  indexes: [
    { fields: ['-owner', 'place.city', 'id'], unique: true },
    { key: { owner: 'text' }, weights: { owner: 2 } },
  ],
});
service().resource({ model: Indexed, scope: () => ({ owner: 'ann' }), scopeFields: ['owner', 'place.city'] });
