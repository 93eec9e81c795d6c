import fc from 'fast-check';
import { openapiDocument } from '../../src/api/openapi-document.ts';
import { service } from '../../src/index.ts';
import type { CompiledField, Node, ObjectNode } from '../../src/model/node.ts';
import { insertAccess, maySend, updateAccess, type WriteRules } from '../../src/model/write/access.ts';
import { compileCreate, compilePatch, compilePut } from '../../src/model/write/compile-writes.ts';
import { cases } from '../support/fuzzing/fuzz.ts';
import { compile, db, Everything, Guarded } from './fixtures.ts';
import { compileNamed, isAccepted } from './published.ts';

type Model = typeof Everything | typeof Guarded;

function describeWith(model: Model, rules: WriteRules, server: Record<string, unknown> = {}) {
  const shop = service();
  const resource = shop.resource({ model: model as typeof Everything, ops: ['create', 'patch', 'put'], ...rules });
  const document = openapiDocument(shop.api({ db, resources: [resource] }));
  const compiled = compile({ model }).model;
  const create = compileCreate(compiled, rules);
  const update = updateAccess(rules);
  return {
    root: compiled.root,
    bodies: [
      {
        name: 'Create',
        fits: compileNamed(document, `${model.name}Create`),
        read: (body: unknown) => create(body, server),
        access: insertAccess(rules),
      },
      { name: 'Patch', fits: compileNamed(document, `${model.name}Patch`), read: compilePatch(compiled, rules), access: update },
      { name: 'Put', fits: compileNamed(document, `${model.name}Put`), read: compilePut(compiled, rules), access: update },
    ],
  };
}

/** One value of every kind, and those around each limit. */
const values: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -5,
  -6,
  5,
  7,
  95,
  100,
  1.5,
  0.5,
  -0.1,
  1,
  1.1,
  5.0,
  1e20,
  9007199254740991,
  9007199254740992,
  -9007199254740991,
  -9007199254740992,
  '',
  'a',
  'ab',
  'IT',
  'it',
  'x'.repeat(40),
  'x'.repeat(41),
  '😀'.repeat(21),
  'open',
  'OPEN',
  'ann@example.org',
  '12',
  '12.50',
  '-.5',
  '1.',
  '1e5',
  '.',
  '1,5',
  'NaN',
  'Infinity',
  '2026-01-31T12:00:00Z',
  '2026-01-31T12:00:00.123456+01:00',
  '2026-02-30T12:00:00Z',
  '2026-01-31',
  '65f1a2b3c4d5e6f708192a3b',
  '65f1a2b3c4d5e6f708192a3',
  '123e4567-e89b-42d3-a456-426614174000',
  '123e4567e89b42d3a456426614174000',
  'YWI=',
  'YWJj',
  'YWI',
  [],
  ['a'],
  ['a', 'a'],
  ['a', 'b', 'c', 'd', 'e', 'f'],
  [''],
  [null],
  [[1, null], [2.5]],
  [['x']],
  {},
  { a: 'x' },
  { a: 'x', b: null },
  { a: null },
  { B: 'x' },
  { a: 1, b: 2, c: 3, d: 4 },
  { a: 'x', b: 'y', c: 'z', d: 'w' },
  { a: '1.5', b: 2, c: null },
  { city: 'Rome', zip: '00100' },
  { city: 'Rome' },
  { city: 'Rome', zip: null },
  { city: 'Rome', zip: '1', more: 1 },
  { street: 'Via', floor: 1, since: null },
  { street: 'Via', floor: null },
  { street: 'Via' },
  { floor: 2 },
  [{ at: '2026-01-31T12:00:00Z' }],
  [{ at: '2026-01-31T12:00:00Z', note: null }],
  [{ note: 'x' }],
  { first: { rank: 1, price: 2.5 } },
  { first: { rank: 1, price: '2.5', more: 0 } },
  { first: { rank: 1 } },
  { first: null },
  { 'a\0b': 'x' },
  { a: [{ 'b\0': [1] }] },
  [{ a: [-1e20] }],
  [[{ a: [true, 'x\0', 9007199254740992, -0.5, null] }]],
];

/** The least that creates or replaces a record of every builder. */
const least = {
  text: 'ab',
  int: 1,
  int64: 1,
  float: 0.5,
  decimal: '1',
  date: '2026-01-31T12:00:00Z',
  objectId: '65f1a2b3c4d5e6f708192a3b',
  any: 1,
  raw: true,
  tags: ['a'],
  place: { city: 'Rome', zip: '00100' },
  friend: '65f1a2b3c4d5e6f708192a3b',
};

describe('the published schemas and the code that validates', () => {
  const { root, bodies } = describeWith(Everything, {});
  const cases = root.fields.flatMap((field) => bodies.map((body) => ({ field: field.name, ...body })));

  it.each(cases)('agree on every value of $field in $name', ({ field, name, fits, read }) => {
    const base = name === 'Patch' ? {} : least;
    const disagreed = values.filter((value) => {
      const body = { ...base, [field]: value };
      return fits(body) !== isAccepted(read, body);
    });
    expect(disagreed).toEqual([]);
  });

  it.each(bodies)('agree on what $name requires', ({ fits, read }) => {
    for (const name of Object.keys(least)) {
      const { [name as 'text']: _, ...body } = least;
      expect({ name, fits: fits(body) }).toEqual({ name, fits: isAccepted(read, body) });
    }
    expect([fits({ ...least, __more: 1 }), isAccepted(read, { ...least, __more: 1 })]).toEqual([false, false]);
    expect([fits([]), isAccepted(read, [])]).toEqual([false, false]);
  });

  it.each([
    ['date', '2026-01-31T12:00:00', 'a date without an offset is UTC'],
    ['decimal', '1e1000', 'an exponent of four digits'],
  ])('%s: the code accepts more than is promised (%s)', (field, value) => {
    for (const { name, fits, read } of bodies) {
      const body = { ...(name === 'Patch' ? {} : least), [field]: value };
      expect([name, fits(body), isAccepted(read, body)]).toEqual([name, false, true]);
    }
  });

  it('do not count the digits of a decimal alike: more than 34 are refused by the code alone', () => {
    for (const { name, fits, read } of bodies) {
      const body = { ...(name === 'Patch' ? {} : least), decimal: '1'.repeat(35) };
      expect([name, fits(body), isAccepted(read, body)]).toEqual([name, true, false]);
    }
  });
});

type Choose = (field: CompiledField) => boolean;

/** Values that are nearly right: of the right kind as a rule, and null or of another kind at times. */
function arbitraryValue(node: Node, choose: Choose): fc.Arbitrary<unknown> {
  const other = fc.constantFrom<unknown>(null, null, 'text', 1, 1.5, [], {});
  return fc.oneof({ weight: 40, arbitrary: arbitraryFitting(node, choose) }, { weight: 1, arbitrary: other });
}

function arbitraryFitting(node: Node, choose: Choose): fc.Arbitrary<unknown> {
  switch (node.kind) {
    case 'leaf':
      return fc.constant({ string: 'text', int: 1, float: 1.5 }[node.leaf.name]);
    case 'object':
      return arbitraryObject(node, choose);
    case 'array':
      return fc.array(arbitraryValue(node.items.node, choose), { maxLength: 2 });
    case 'map':
      return fc.dictionary(fc.constantFrom('k', '$set', 'a.b'), arbitraryValue(node.values.node, choose), { maxKeys: 2 });
  }
}

function arbitraryObject(node: ObjectNode, choose: Choose): fc.Arbitrary<object> {
  const keys = Object.fromEntries(node.fields.filter(choose).map((field) => [field.name, arbitraryValue(field.node, choose)]));
  const some = fc.record(keys, { requiredKeys: [] });
  return fc.oneof(
    { weight: 16, arbitrary: fc.record(keys) },
    { weight: 2, arbitrary: some },
    { weight: 1, arbitrary: some.map((one) => ({ ...one, stray: 1 })) },
  );
}

/** A private field that a client may write is published nowhere: there the two differ. */
const isPublished: Choose = (field) => !(field.policy.private && field.policy.insert);

/** What only the server sets where writes are explicit: otherwise nobody could create a record. */
const serverFields = { open: '', createOnly: '', fixed: '', address: { city: '', country: '' } };

describe.each<WriteRules>([{}, { mergePatch: false }, { explicitWrites: true }])('with the write rules %j', (rules) => {
  const { root, bodies } = describeWith(Guarded, rules, rules.explicitWrites ? serverFields : {});

  it.each(bodies)('$name accepts exactly the bodies that its schema does', ({ fits, read, access }) => {
    const isOpen: Choose = (field) => isPublished(field) && maySend(field, access);
    const seen = { true: 0, false: 0 };
    fc.assert(
      fc.property(fc.oneof(arbitraryObject(root, isPublished), arbitraryObject(root, isOpen)), (body) => {
        const accepted = isAccepted(read, body);
        seen[`${accepted}`]++;
        expect(fits(body)).toBe(accepted);
      }),
      cases(250),
    );
    expect(seen.true).toBeGreaterThan(20);
    expect(seen.false).toBeGreaterThan(20);
  });
});
