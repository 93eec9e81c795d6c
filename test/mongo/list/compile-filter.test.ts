import { BSON } from 'mongodb';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { compileFilter, inBody, inUrl } from '../../../src/mongo/list/compile-filter.ts';
import { canonical, type Expression, pathsIn } from '../../../src/mongo/through/expression.ts';
import type { ThroughField, ThroughRelation, ThroughStep } from '../../../src/mongo/through/through-field.ts';
import type { FieldError } from '../../../src/rules.ts';
import { Item } from '../../support/models/item.ts';

const { clientFields } = compileModel(Item);
const limits = { maxFilterValues: 3, maxPrefix: 5 };

const source = { model: {}, collection: {} } as never;
const owner: ThroughStep = { name: 'owner', field: 'ownerId', path: 'ownerId', via: undefined, isSingle: true, source };
const firm: ThroughStep = { name: 'firm', field: 'firmId', path: 'firmId', via: undefined, isSingle: true, source };
const notes: ThroughStep = {
  name: 'notes',
  field: 'id',
  path: '_id',
  via: { field: 'item', path: 'item', idTypes: ['string'] },
  isSingle: false,
  source,
};

function relation(...steps: readonly [ThroughStep, ...ThroughStep[]]): readonly [string, ThroughRelation] {
  const name = steps.map((step) => step.name).join('.');
  const fields = ['name', 'count', 'parts.sku', 'parts'].map((own): ThroughField => {
    const field = clientFields.get(own) as ThroughField;
    return { ...field, name: `${name}.${own}`, ownName: own, steps };
  });
  return [name, { steps, fields }];
}

const relations = new Map([relation(owner), relation(owner, firm), relation(notes), relation(notes, owner)]);
const maxConditions = 4;
const singles = [...relations.values()].filter(({ steps }) => !steps.some(({ via }) => via)).flatMap(({ fields }) => fields);
const fields = new Map([...clientFields, ...singles.map((field) => [field.name, field] as const)]);

function compile(text: string, bounds = inUrl) {
  const errors: FieldError[] = [];
  const outOfRange: FieldError[] = [];
  const expression = compileFilter(text, { fields, through: { relations, maxConditions }, ...limits }, bounds, errors, outOfRange);
  return { expression, errors, outOfRange };
}

/** An expression as a text of the database, with the relations in it. */
function show(expression: Expression | undefined): unknown {
  if (!expression) return undefined;
  switch (expression.kind) {
    case 'condition': {
      const { field, operator, value } = expression.condition;
      return `${field.path} ${operator} ${Array.isArray(value) ? `[${value.join(' ')}]` : value}`;
    }
    case 'not':
      return { not: show(expression.of) };
    case 'item':
      return { [`in ${expression.path}`]: show(expression.of) };
    case 'related':
      return { [`by ${expression.step.name}`]: show(expression.of) ?? 'any' };
    default:
      return { [expression.kind]: expression.of.map(show) };
  }
}

describe('a compiled filter', () => {
  it.each<[string, unknown]>([
    ['name = "a"', 'name eq a'],
    ['name != "a"', 'name ne a'],
    ['count < 1', 'count lt 1'],
    ['count <= "1"', 'count lte 1'],
    ['count > 1', 'count gt 1'],
    ['count >= 1.0', 'count gte 1'],
    ['count = null', 'count eq null'],
    ['count != null', 'count ne null'],
    ['count IN (1, null)', 'count in [1 ]'],
    ['count IN ()', 'count in []'],
    ['prefix(name, "a")', 'name prefix a'],
    ['exists(count)', 'count exists true'],
    ['id = "x"', '_id eq x'],
    ['name = "a" AND count = 1', { and: ['name eq a', 'count eq 1'] }],
    ['name = "a" OR count = 1', { or: ['name eq a', 'count eq 1'] }],
    ['NOT name = "a"', { not: 'name eq a' }],
    ['parts.sku = "s"', 'parts.sku eq s'],
    ['any(parts, sku = "s")', { 'in parts': 'sku eq s' }],
    ['none(parts, sku = "s")', { not: { 'in parts': 'sku eq s' } }],
    ['owner.name = "a"', { 'by owner': 'name eq a' }],
    ['owner.firm.name = "a"', { 'by owner': { 'by firm': 'name eq a' } }],
    ['any(owner.parts, sku = "s")', { 'by owner': { 'in parts': 'sku eq s' } }],
    ['any(notes, any(parts, sku = "s"))', { 'by notes': { 'in parts': 'sku eq s' } }],
    ['any(owner)', { 'by owner': 'any' }],
    ['any(owner, name = "a" AND firm.name = "b")', { 'by owner': { and: ['name eq a', { 'by firm': 'name eq b' }] } }],
    ['any(owner.firm, name = "a")', { 'by owner': { 'by firm': 'name eq a' } }],
    ['any(owner, any(firm, name = "a"))', { 'by owner': { 'by firm': 'name eq a' } }],
    ['any(notes, name = "a")', { 'by notes': 'name eq a' }],
    ['none(notes)', { not: { 'by notes': 'any' } }],
    ['any(notes, owner.name = "a")', { 'by notes': { 'by owner': 'name eq a' } }],
    ['any(notes.owner, name = "a")', { 'by notes': { 'by owner': 'name eq a' } }],
  ])('%s is %j', (text, shown) => {
    const { expression, errors } = compile(text);
    expect([show(expression), errors]).toEqual([shown, []]);
  });

  it.each([
    ['x = 1', 'unknown_parameter', '`x` at character 1 is not a field of this list'],
    ['nmae = 1', 'unknown_parameter', '`nmae` at character 1 is not a field of this list; did you mean `name`?'],
    ['any(notse)', 'unknown_parameter', '`notse` at character 5 is not a field of this list; did you mean `note`?'],
    ['any(owenr)', 'unknown_parameter', '`owenr` at character 5 is not a field of this list; did you mean `owner`?'],
    ['any(parts, name = "a")', 'unknown_parameter', '`name` at character 12 is not a field of an item of `parts`'],
    ['any(owner, nmae = "a")', 'unknown_parameter', '`nmae` at character 12 is not a field of `owner`; did you mean `name`?'],
    ['any(owner, note = "a")', 'unknown_parameter', expect.stringContaining('`note` at character 12 is not a field of `owner`')],
    ['any(owner, owner.name = "a")', 'unknown_parameter', expect.stringContaining('is not a field of `owner`')],
    [
      'any(owner.name, x = 1)',
      'not_comparable',
      '`owner.name` at character 5 is neither an array of objects or of values nor a relation that a filter may name',
    ],
    ['any(notes.parts, sku = "s")', 'not_comparable', expect.stringContaining('`notes.parts` at character 5 lies in one of many records')],
    ['any(parts, owner.name = "a")', 'unknown_parameter', expect.stringContaining('is not a field of an item of `parts`')],
    [
      'notes.name = "a"',
      'not_comparable',
      '`notes.name` at character 1 lies in one of many records: write any(notes, …), what one of them must fulfil',
    ],
    [
      'any(parts)',
      'not_comparable',
      '`parts` at character 5 needs a condition: its policy does not open whether it has items, by `exists`',
    ],
    ['any(tags, x = 1)', 'unknown_parameter', '`x` at character 11 is not a field of an item of `tags`'],
    ['shut = 1', 'not_filterable', expect.stringContaining('`shut` at character 1 cannot be filtered. Allowed: id')],
    ['only != "a"', 'unknown_operator', '`only` at character 1 does not have the operator `ne`. Allowed: eq'],
    ['any(parts, sku != "s")', 'unknown_operator', '`sku` at character 12 does not have the operator `ne`. Allowed: eq, in'],
    ['count = "x"', 'type', '`count` at character 1 must be an integer'],
    ['name = null', 'not_null', '`name` at character 1 cannot be null'],
    ['count > null', 'not_null', '`count` at character 1 cannot be null'],
    ['count IN (1, "x")', 'type', '`count` at character 1 must be an integer'],
    ['count IN (1, 2, 3, 4)', 'maxItems', '`count` at character 1 must have at most 3 values'],
    ['prefix(name, "abcdef")', 'maxLength', '`name` at character 1 must have at most 5 characters'],
    ['name', 'syntax', expect.any(String)],
    ['name = "a" AND name = "b" OR name = "c"', 'ambiguous', expect.any(String)],
    [`name = "${'a'.repeat(4096)}"`, 'too_complex', 'has more than 4096 bytes'],
  ])('%.60s is refused: %s', (text, rule, message) => {
    const { expression, errors, outOfRange } = compile(text);
    expect([expression, outOfRange]).toEqual([undefined, []]);
    expect(errors).toEqual([
      expect.objectContaining({
        field: 'filter',
        rule,
        message:
          message === '`name` at character 1 must have at most 5 characters'
            ? '`name` at character 8 must have at most 5 characters'
            : message,
      }),
    ]);
  });

  it('takes what is just within the limits', () => {
    expect(compile('count IN (1, 2, 3) OR prefix(name, "abcde")').errors).toEqual([]);
    expect(compile(`name = "${'a'.repeat(4096)}"`, inBody).errors).toEqual([]);
    expect(compile(Array(33).fill('count = 1').join(' AND '), inBody).errors).toEqual([]);
    expect(inUrl).toEqual({ maxBytes: 4096, maxComparisons: 32, maxDepth: 8, maxBranches: 10 });
    expect(inBody).toEqual({ maxBytes: 65_536, maxComparisons: 400, maxDepth: 8, maxBranches: 10 });
  });

  it('has all its mistakes at once, with their places, and integers out of range apart', () => {
    const { expression, errors, outOfRange } = compile('x = 1 AND NOT (count = "y" OR any(parts, z = 1)) AND big = 99999999999999999999');
    expect(expression).toBeUndefined();
    expect(errors.map(({ rule, params }) => [rule, params?.position])).toEqual([
      ['unknown_parameter', 1],
      ['type', 16],
      ['unknown_parameter', 42],
    ]);
    expect(outOfRange.map(({ field, rule, params }) => [field, rule, params?.position])).toEqual([['filter', 'out_of_range', 54]]);
  });

  it('works without relations', () => {
    const errors: FieldError[] = [];
    expect(compileFilter('name = "a"', { fields: clientFields, ...limits }, inUrl, errors, [])).toBeDefined();
    expect(compileFilter('any(owner)', { fields: clientFields, ...limits }, inUrl, errors, [])).toBeUndefined();
    expect(errors).toHaveLength(1);
  });

  it('throws on what is no mistake of a filter', () => {
    expect(() => compileFilter(undefined as never, { fields, ...limits }, inUrl, [], [])).toThrow(TypeError);
  });
});

describe('conditions on related records', () => {
  it.each<[string, unknown]>([
    ['any(notes, name = "a") OR any(notes, count = 1)', { 'by notes': { or: ['name eq a', 'count eq 1'] } }],
    ['any(notes, name = "a") OR any(notes)', { 'by notes': 'any' }],
    ['none(notes, name = "a") AND none(notes, count = 1)', { not: { 'by notes': { or: ['name eq a', 'count eq 1'] } } }],
    ['any(notes, name = "a") AND any(notes, count = 1)', { and: [{ 'by notes': 'name eq a' }, { 'by notes': 'count eq 1' }] }],
    [
      'none(notes, name = "a") OR none(notes, count = 1)',
      { or: [{ not: { 'by notes': 'name eq a' } }, { not: { 'by notes': 'count eq 1' } }] },
    ],
    ['owner.name = "a" AND owner.count = 1', { 'by owner': { and: ['name eq a', 'count eq 1'] } }],
    ['owner.name = "a" AND any(owner)', { 'by owner': 'name eq a' }],
    ['NOT owner.name = "a" OR NOT owner.count = 1', { not: { 'by owner': { and: ['name eq a', 'count eq 1'] } } }],
    ['owner.firm.name = "a" AND owner.firm.count = 1', { 'by owner': { 'by firm': { and: ['name eq a', 'count eq 1'] } } }],
    ['count = 1 AND (owner.name = "a" AND (owner.name = "a" AND count = 1))', { and: ['count eq 1', { 'by owner': 'name eq a' }] }],
    ['big = 9007199254740993 OR big = 9007199254740992', { or: ['big eq 9007199254740993', 'big eq 9007199254740992'] }],
    ['big IN (9007199254740993) OR big IN (9007199254740993, 9007199254740992)', { or: [expect.any(String), expect.any(String)] }],
  ])('%s are asked as %j', (text, shown) => {
    const { expression, errors } = compile(text);
    expect([show(expression), errors]).toEqual([shown, []]);
  });

  const anyOf = (...names: readonly string[]) => names.map((name) => `any(notes, name = "${name}")`).join(' AND ');

  it('are counted once where they are equal, also at different places', () => {
    expect(compile(anyOf('a', 'b', 'c', 'd')).errors).toEqual([]);
    expect(compile(`(${anyOf('a', 'b', 'c', 'd')}) OR (count = 1 AND ${anyOf('b', 'd')})`).errors).toEqual([]);
    expect(compile(Array.from({ length: 200 }, (_, n) => `none(notes, count = ${n})`).join(' AND '), inBody).errors).toEqual([]);
  });

  it.each([
    [anyOf('a', 'b', 'c', 'd', 'e'), 5],
    [`any(notes, owner.name = "a") AND any(notes, owner.name = "b") AND any(notes, name = "c")`, 5],
    [`(${anyOf('a', 'b', 'c')}) OR (count = 1 AND ${anyOf('d', 'e', 'f')})`, 6],
  ])('of %s are too many', (text, count) => {
    const message = `has ${count} conditions on related records: at most 4 are allowed`;
    expect(compile(text)).toEqual({
      expression: undefined,
      errors: [{ field: 'filter', message, rule: 'too_complex', params: { limit: 4 } }],
      outOfRange: [],
    });
  });
});

describe('the form that all spellings of a filter have', () => {
  const formOf = (text: string) => {
    const { expression } = compile(text, inBody);
    if (!expression) throw new Error(`${text} is refused`);
    return BSON.EJSON.stringify(canonical(expression), { relaxed: false });
  };

  it.each([
    ['name = "a"', '(((name="a")))'],
    ['count = 1', 'count = "1"'],
    ['name = "a" AND count = 1', 'count = 1 AND name = "a"'],
    ['name = "a" AND (count = 1 AND on = true)', 'on = true AND name = "a" AND count = 1'],
    ['name = "a" OR name = "a" OR count = 1', 'name = "a" OR count = 1'],
    ['name = "a" OR name = "a"', 'name = "a"'],
    ['count IN (1, 2)', 'count IN (2, 1, 2)'],
    ['NOT (NOT name = "a")', 'name = "a"'],
    ['none(parts, sku = "a")', 'NOT any(parts, sku = "a")'],
    ['owner.name = "a"', 'any(owner, name = "a")'],
    ['any(owner.firm, name = "a")', 'any(owner, firm.name = "a")'],
  ])('%s is %s', (one, other) => expect(formOf(one)).toBe(formOf(other)));

  it.each([
    ['name = "a"', '["is","name","eq","a"]'],
    ['on = true OR name = "a"', '["or",["is","name","eq","a"],["is","on","eq",true]]'],
    ['name IN ("b", "a") AND on = true', '["and",["is","name","in",["a","b"]],["is","on","eq",true]]'],
    ['NOT any(parts, sku = "s")', '["not",["any","parts",["is","sku","eq","s"]]]'],
    ['any(owner)', '["any","owner",null]'],
    ['owner.firm.name = "a"', '["any","owner",["any","firm",["is","name","eq","a"]]]'],
  ])('%s is written as %s', (text, form) => expect(formOf(text)).toBe(form));

  it.each([
    ['name = "a"', 'name != "a"'],
    ['name = "a"', 'note = "a"'],
    ['name = "a"', 'name = "b"'],
    ['note = null', 'note = "null"'],
    ['name = "a" AND count = 1', 'name = "a" OR count = 1'],
    ['NOT (name = "a" AND count = 1)', 'NOT name = "a" AND count = 1'],
    ['any(parts, sku = "a")', 'parts.sku = "a"'],
    ['any(parts, sku = "a") AND any(parts, sku = "b")', 'any(parts, sku = "a" AND sku = "b")'],
    ['any(owner)', 'any(owner, name = "a")'],
    ['any(owner)', 'any(notes)'],
    ['owner.name = "a"', 'owner.firm.name = "a"'],
    ['(name = "a" OR count = 1) AND on = true', 'name = "a" OR (count = 1 AND on = true)'],
    ['big = 1', 'count = 1'],
  ])('%s is not %s', (one, other) => expect(formOf(one)).not.toBe(formOf(other)));
});

describe('the relations in a filter', () => {
  it('are told with those on the way to them', () => {
    const { expression } = compile('name = "a" OR NOT owner.firm.name = "a" OR any(notes, owner.name = "b") OR any(parts, sku = "s")');
    const paths = pathsIn(expression as Expression).map((steps) => steps.map(({ name }) => name).join('.'));
    expect(paths).toEqual(['owner', 'owner.firm', 'notes', 'notes.owner']);
    expect(pathsIn(compile('name = "a"').expression as Expression)).toEqual([]);
    expect(pathsIn(compile('any(owner)').expression as Expression)).toEqual([[owner]]);
  });
});
