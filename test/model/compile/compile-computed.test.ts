import { viewOf } from '../../../src/model/compile/view-of.ts';
import { t } from '../../../src/model/define/t.ts';
import { describeRead } from '../../../src/openapi/schemas/record-schemas.ts';
import type { Any } from '../../support/any.ts';
import { js, messageOf } from '../misuse.ts';
import { modelOf } from '../subject.ts';

const get = () => 'x';
const of = (schema: Any, making: object = { from: ['a'], get }) => js.computed(schema, making);
const notStored = (option: string) => `\`${option}\` of \`made\` cannot be: it is computed when it is shown, and not stored.`;
const shape =
  "The computed field `made` must be { from, get }: the fields of the same object of which it is made, and a function that makes it: `t.computed(t.string(), { from: ['first'], get: ({ first }) => … })`.";
const elsewhere = (name: string, hint = '.') =>
  `\`from\` of the computed field \`made\` names \`${name}\`, which is not a stored field of the same object${hint}`;

describe('a configuration error refuses', () => {
  it.each<[string, () => Any, string]>([
    ['no fields', () => of(t.string(), { from: [], get }), shape],
    ['no function', () => of(t.string(), { from: ['a'] }), shape],
    ['another option', () => ({ ...t.string(), computed: { from: ['a'], get, set: get } }), shape],
    ['a typo', () => of(t.string(), { from: ['bb'], get }), elsewhere('bb', '; did you mean `b`?')],
    ['a field of another object', () => of(t.string(), { from: ['place.city'], get }), elsewhere('place.city')],
    ['a relation', () => of(t.string(), { from: ['others'], get }), elsewhere('others')],
    ['itself', () => of(t.string(), { from: ['made'], get }), elsewhere('made')],
    ['a default', () => of(t.string({ default: 'x' })), notStored('default')],
    ['an immutable field', () => of(t.string({ immutable: true })), notStored('immutable')],
    ['a key of the database', () => of(t.string({ stored: 'x' })), notStored('stored')],
    ['a form of the database', () => of(t.date({ storedAs: 'epoch-ms' })), notStored('storedAs')],
    ['a form of items', () => of(t.array(t.boolean({ storedAs: 'int' }))), notStored('storedAs')],
    ['a counter', () => of(t.counter()), notStored('counter')],
    ['a unique field', () => of(t.string({ unique: true })), notStored('unique')],
    ['a stored null', () => of(t.nullable(t.string(), { storeNone: true })), notStored('storeNone')],
    ['a text without case', () => of(t.string({ caseless: true })), notStored('caseless')],
    ['a reference', () => of(t.ref('Other')), notStored('ref')],
    ['a revision', () => of(t.revision()), notStored('maintained')],
    ['a filter', () => of(t.string({ policy: { filter: true } })), notStored('policy.filter')],
    ['a sort', () => of(t.string({ policy: { sort: true } })), notStored('policy.sort')],
    ['a write', () => of(t.string({ policy: { insert: true } })), notStored('policy.insert')],
    [
      'what nobody would be shown',
      () => of(t.string(), { from: ['secret'], get }),
      'The computed field `made` would never be shown, because it is made of `secret`, of which clients do not read all: say who reads it by `policy.read`.',
    ],
    [
      'what is read by different rules',
      () => of(t.string(), { from: ['ofStaff', 'ofFinance'], get }),
      'The computed field `made` is made of fields that callers with different rules read: say who reads it by `policy.read`.',
    ],
    [
      'items of an array',
      () => t.array(of(t.string())),
      '`made.*` cannot have `computed`: give it to the field, not to the items of an array or a map.',
    ],
  ])('%s', (_what, made, message) => {
    const fields = () => ({
      a: t.string(),
      b: t.string(),
      secret: t.string({ policy: { private: true } }),
      ofStaff: t.string({ policy: { read: 'staff' } }),
      ofFinance: t.string({ policy: { read: 'finance' } }),
      others: t.hasMany('Other', { via: 'thing' }),
      made: made(),
    });
    const found = messageOf(() => modelOf(fields()));
    expect(found.includes('\n') ? found.split('\n').slice(1).join('') : found).toContain(message);
  });

  it('an id that is computed, and tells of all mistakes at once', () => {
    expect(messageOf(() => modelOf({ a: t.string(), id: of(t.string()) }))).toContain('`id` cannot be computed');
    const both = messageOf(() =>
      modelOf({ a: t.string(), x: of(t.string(), { from: ['y'], get }), z: of(t.string(), { from: ['w'], get }) }),
    );
    expect(both).toMatch(/`x`.*\n.*`z`/s);
  });
});

describe('the view of a caller', () => {
  const model = modelOf({
    a: t.string(),
    ofStaff: t.string({ policy: { read: 'staff' } }),
    place: t.object('Place', { city: t.string(), code: t.string({ policy: { read: 'staff' } }) }),
    inherited: of(t.string(), { from: ['a', 'ofStaff'], get }),
    deep: of(t.string(), { from: ['place'], get }),
    open: of(t.string({ policy: { read: true } }), { from: ['ofStaff'], get }),
    own: of(t.string({ policy: { read: 'finance' } }), { from: ['a'], get }),
  });
  const shownTo = (...rules: string[]) => {
    const stored = { _id: 'x', a: 'a', ofStaff: 's', place: { city: 'c', code: 'd' } };
    const seen = viewOf(model, new Set(rules));
    const shown = Object.keys(JSON.parse(seen.writeJson({ ...stored, _id: stored._id })));
    return shown.filter((name) => ['inherited', 'deep', 'open', 'own'].includes(name));
  };

  it('has what is made of what it reads, and goes by the policy of the field if it has one', () => {
    expect(shownTo()).toEqual(['open']);
    expect(shownTo('staff')).toEqual(['inherited', 'deep', 'open']);
    expect(shownTo('finance')).toEqual(['open', 'own']);
    expect(viewOf(model, new Set()).selector.names.has('inherited')).toBe(false);
  });

  it('is described: read-only, and for whom', () => {
    const { read } = describeRead(model, { recordsIn: () => ({ referred: new Map(), many: [] }) } as never);
    const { schema } = (read as Any).$ref;
    expect(schema.properties.open).toEqual({ type: 'string', readOnly: true });
    expect(schema.properties.inherited).toMatchObject({ readOnly: true, 'x-visible-to': ['staff'] });
    expect(schema.required).toEqual(['id', 'a', 'place', 'open']);
  });
});
