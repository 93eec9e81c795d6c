import type { Document as BsonDocument } from 'mongodb';
import { compareStored } from '../value/compare-stored.ts';
import { beginning, part, type SoughtText } from './sought-text.ts';

/** Every filter operator of a list's query string, in the order of the documentation. */
export const operators = ['eq', 'ne', 'in', 'nin', 'gt', 'gte', 'lt', 'lte', 'exists', 'prefix', 'contains'] as const;

/** A filter operator: `field[op]=value` in a list's query string. */
export type Operator = (typeof operators)[number];

/**
 * The kinds of fields that differ in their operators: those without single values, and those of texts, of booleans and
 * of all other values.
 */
export type OperandKind = 'none' | 'text' | 'boolean' | 'other';

/** Stands for the value of an object without the key. */
export const missing: unique symbol = Symbol('missing');

/** All that is known of an operator: everybody else asks here, so that another operator is another record. */
export interface OperatorDef {
  /** What it compares with: one value, several, a text of which a value may be a part, or true and false. */
  readonly takes: 'value' | 'values' | 'text' | 'flag';
  /**
   * What a record fulfils: one item of an array does, or the value itself; none of them does, also if there is none; or
   * the field is looked at as it is, and not its values.
   */
  readonly asks: 'an item' | 'no item' | 'the field';
  /**
   * Set if it asks what is greater or less, so that nothing is so to null. A text may lie between two values that can
   * be stored: it says which of them counts.
   */
  readonly order?: 'before' | 'after' | undefined;
  /** How an index serves it: by single values, by bounds, or not, because most records fulfil it. */
  readonly shape: 'equal' | 'range' | 'none';
  /** The fields that have it. */
  readonly fits: readonly OperandKind[];
  /**
   * Set if each record that fulfils all else is looked at, whatever indexes there are: a policy must name it, and what
   * asks for it is bounded.
   */
  readonly scans?: boolean | undefined;
  /** Set if it looks for a text. */
  readonly text?: SoughtText | undefined;
  /** Set if `filter` has it as a function of this name. */
  readonly isCall?: boolean | undefined;
  /** The operator of the database. No text from a client becomes an operator in any other way. */
  filter(operand: unknown): Record<string, unknown>;
  /**
   * The same in this process, of all values at a path. Strings are compared byte by byte: a collation of the collection
   * is ignored.
   */
  matches(found: readonly unknown[], operand: unknown): boolean;
  /**
   * The same as an expression about the field that another expression leads to, whatever is stored there. Undefined if
   * there is no short one.
   */
  readonly ofField?: ((field: string, operand: unknown) => BsonDocument | undefined) | undefined;
  /** The same as an expression about a single value. Only operators that numbers have need it. */
  readonly ofNumber?: ((value: unknown, operand: unknown) => unknown) | undefined;
  /** Whether every record fulfils it with this operand. @default none does */
  readonly isOpen?: ((operand: unknown) => boolean) | undefined;
  /** How the description of a parameter says it, behind the name of the field. */
  readonly words: string;
  /** How it says it behind "No item of …". */
  readonly wordsOfItems?: string | undefined;
  /** How it says it of a field whose case is ignored. */
  readonly wordsOfCaseless?: string | undefined;
}

const ofValues = { shape: 'equal', fits: ['text', 'boolean', 'other'] } as const;
const ofBounds = { takes: 'value', asks: 'an item', shape: 'range', fits: ['text', 'other'] } as const;

/** What the operators have in common that look for a text literally. */
function ofTexts(text: SoughtText, isIn: (value: string, operand: string) => boolean) {
  return {
    takes: 'text',
    asks: 'an item',
    fits: ['text'],
    text,
    isCall: true,
    filter: (operand: unknown) => ({ $regex: text.pattern(operand as string) }),
    matches: (found: readonly unknown[], operand: unknown) =>
      some(found, (value) => typeof value === 'string' && isIn(value, operand as string)),
  } as const;
}

function isEqual(value: unknown, operand: unknown): boolean {
  return compareStored(value, operand) === 0;
}

function isOneOf(value: unknown, operands: unknown): boolean {
  return (operands as readonly unknown[]).some((operand) => isEqual(value, operand));
}

/** Whether one of the values at a path is such a value. An item of an array is one, and so is the array. */
function some(found: readonly unknown[], is: (value: unknown) => boolean): boolean {
  return found.some((one) => (Array.isArray(one) && one.some((item) => is(orNull(item)))) || is(orNull(one)));
}

function orNull(value: unknown): unknown {
  return value === missing || value === undefined ? null : value;
}

/** Whether the value is one of these, or an array with one of them. A missing value counts as null. */
function isAmong(field: string, values: readonly unknown[]): BsonDocument | undefined {
  if (!values.every(isSingle)) return undefined;
  const literals = { $literal: values };
  const items = { $cond: [{ $isArray: field }, field, []] };
  return { $or: [{ $in: [{ $ifNull: [field, null] }, literals] }, { $ne: [{ $setIntersection: [items, literals] }, []] }] };
}

/** Whether a value is compared as it is: neither an array nor an object. */
function isSingle(value: unknown): boolean {
  if (typeof value !== 'object') return value !== undefined;
  return value === null || value instanceof Date || ('_bsontype' in value && singleTypes.has(value._bsontype));
}

const singleTypes = new Set<unknown>(['ObjectId', 'Binary', 'Decimal128', 'Double', 'Int32', 'Long']);

const records: Readonly<Record<Operator, OperatorDef>> = alike({
  eq: {
    ...ofValues,
    takes: 'value',
    asks: 'an item',
    filter: (operand) => ({ $eq: operand }),
    matches: (found, operand) => some(found, (value) => isEqual(value, operand)),
    ofField: (field, operand) => isAmong(field, [operand]),
    ofNumber: (value, operand) => ({ $in: [value, { $literal: [operand] }] }),
    words: 'equals this',
  },
  ne: {
    ...ofValues,
    shape: 'none',
    takes: 'value',
    asks: 'no item',
    filter: (operand) => ({ $ne: operand }),
    matches: (found, operand) => !some(found, (value) => isEqual(value, operand)),
    ofNumber: (value, operand) => ({ $not: [{ $in: [value, { $literal: [operand] }] }] }),
    words: 'does not equal this, or is missing',
    wordsOfItems: 'equals this',
  },
  in: {
    ...ofValues,
    takes: 'values',
    asks: 'an item',
    filter: (operands) => ({ $in: operands }),
    matches: (found, operands) => some(found, (value) => isOneOf(value, operands)),
    ofField: (field, operands) => isAmong(field, operands as readonly unknown[]),
    ofNumber: (value, operands) => ({ $in: [value, { $literal: operands }] }),
    words: 'is one of these, separated by commas',
  },
  nin: {
    ...ofValues,
    shape: 'none',
    takes: 'values',
    asks: 'no item',
    filter: (operands) => ({ $nin: operands }),
    matches: (found, operands) => !some(found, (value) => isOneOf(value, operands)),
    ofNumber: (value, operands) => ({ $not: [{ $in: [value, { $literal: operands }] }] }),
    isOpen: (operands) => (operands as readonly unknown[]).length === 0,
    words: 'is none of these, separated by commas, or is missing',
    wordsOfItems: 'is one of these, separated by commas',
  },
  gt: {
    ...ofBounds,
    order: 'before',
    filter: (operand) => ({ $gt: operand }),
    matches: (found, operand) => some(found, (value) => compareStored(value, operand) > 0),
    ofNumber: (value, operand) => ({ $gt: [value, operand] }),
    words: 'is greater than this',
  },
  gte: {
    ...ofBounds,
    order: 'after',
    filter: (operand) => ({ $gte: operand }),
    matches: (found, operand) => some(found, (value) => compareStored(value, operand) >= 0),
    ofNumber: (value, operand) => ({ $gte: [value, operand] }),
    words: 'is this or greater',
  },
  lt: {
    ...ofBounds,
    order: 'after',
    filter: (operand) => ({ $lt: operand }),
    matches: (found, operand) => some(found, (value) => compareStored(value, operand) < 0),
    ofNumber: (value, operand) => ({ $lt: [value, operand] }),
    words: 'is less than this',
  },
  lte: {
    ...ofBounds,
    order: 'before',
    filter: (operand) => ({ $lte: operand }),
    matches: (found, operand) => some(found, (value) => compareStored(value, operand) <= 0),
    ofNumber: (value, operand) => ({ $lte: [value, operand] }),
    words: 'is this or less',
  },
  exists: {
    takes: 'flag',
    asks: 'the field',
    shape: 'none',
    fits: ['none', 'text', 'boolean', 'other'],
    filter: (operand) => ({ $exists: operand }),
    matches: (found, operand) => found.some((one) => one !== missing) === operand,
    ofField: (field, operand) => ({ [operand ? '$ne' : '$eq']: [{ $type: field }, 'missing'] }),
    ofNumber: (_value, operand) => operand,
    isCall: true,
    words: 'is there (true) or is missing (false)',
  },
  prefix: {
    ...ofTexts(beginning, (value, operand) => value.startsWith(operand)),
    shape: 'range',
    isOpen: (operand) => operand === '',
    words: 'begins with this text, in the same case',
    wordsOfCaseless: 'begins with this text',
  },
  contains: {
    ...ofTexts(part, (value, operand) => value.includes(operand)),
    shape: 'none',
    scans: true,
    words: 'contains this text, in the same case',
    wordsOfCaseless: 'contains this text',
  },
});

/** Gives all records the same members in one order: the engine reads them as quickly as those of one class. */
function alike(given: Readonly<Record<Operator, OperatorDef>>): Readonly<Record<Operator, OperatorDef>> {
  const entries = Object.entries(given).map(
    ([name, { takes, asks, order, shape, fits, scans, text, isCall, filter, matches, ofField, ofNumber, isOpen, ...words }]) => {
      const of = { takes, asks, order, shape, fits, scans, text, isCall, filter, matches, ofField, ofNumber, isOpen };
      const { words: own, wordsOfItems, wordsOfCaseless } = words;
      return [name, Object.assign(of, { words: own, wordsOfItems, wordsOfCaseless })];
    },
  );
  return Object.fromEntries(entries);
}

/** What is known of an operator. */
export function operatorDef(operator: Operator): OperatorDef {
  return records[operator];
}

/** The operators among these whose cost indexes can bound. */
export function withoutScans(given: ReadonlySet<Operator>): ReadonlySet<Operator> {
  return new Set([...given].filter((operator) => !records[operator].scans));
}

export function isOperator(name: string): name is Operator {
  return Object.hasOwn(records, name);
}
