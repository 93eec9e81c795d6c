import { Decimal128 } from 'mongodb';
import { addressable } from '../../model/compile/as-id.ts';
import { asCompiled, type CompiledModel, type ModelInput } from '../../model/compile/compile-model.ts';
import type { ArrayNode, CompiledField, LeafNode, MapNode, ObjectNode, Slot } from '../../model/node.ts';
import type { AcceptedForm } from '../../model/value/accepted.ts';
import type { Leaf } from '../../model/value/leaf.ts';
import { anyLeaf, booleanLeaf, dateLeaf, objectIdLeaf, stringLeaf } from '../../model/value/leaves.ts';
import { intLeaf } from '../../model/value/number-leaves.ts';
import { coordinateSchemas, pointLeaf } from '../../model/value/point-leaf.ts';
import { isRequired } from '../../model/write/access.ts';

/**
 * A schema in the dialect of MongoDB's `$jsonSchema`: that of draft 4 with `bsonType`. Bounds may be bigint or
 * Decimal128.
 */
type BsonSchema = Readonly<Record<string, unknown>>;

/** A validator of a collection, for `collMod` and `createCollection`. */
export interface CollectionValidator {
  readonly $jsonSchema: Record<string, unknown>;
}

/** Distinguishes the validators of this library from others. */
export const mark = 'Made by koa-mongo-resource of a model.';

/**
 * Returns the rules of a model that MongoDB itself can check, for `collMod`. They accept what an audit accepts, and so
 * everything that the library writes. They refuse a document of another program that has a required field not, or a
 * value of another type, or one beyond a bound, a length or an enum.
 *
 * They do not know: `check`, formats, `propertyNames`, patterns other than simple ones, `multipleOf` of fractions, the
 * schemas of untyped values, subtypes of binary data, and dates beyond those of JavaScript.
 *
 * @example
 * await db.command({ collMod: 'orders', validator: collectionValidator(Order), validationLevel: 'moderate' });
 */
export function collectionValidator(model: ModelInput): CollectionValidator {
  return validatorOf([asCompiled(model)]);
}

/** The validator of a collection that several models share: a record must fit one of them. */
export function validatorOf(models: readonly CompiledModel[]): CollectionValidator {
  const [first, ...others] = models.map(({ root, name }) => ({ title: name, ...objectSchema(root) }));
  return { $jsonSchema: { description: mark, ...(others.length > 0 ? { anyOf: [first, ...others] } : first) } };
}

function objectSchema(node: ObjectNode): BsonSchema {
  const required = node.fields.filter(isRequired).map(({ key }) => key);
  return {
    bsonType: 'object',
    ...(required.length > 0 ? { required } : {}), // MongoDB refuses an empty array
    properties: Object.fromEntries(node.fields.map((field) => [field.key, fieldSchema(field)])),
  };
}

/** A field without a value may have null as well: it reads as a missing one. */
function fieldSchema(field: CompiledField): BsonSchema {
  const mayBeNull = !isRequired(field);
  return !mayBeNull && isUntyped(field) ? { not: { bsonType: 'null' } } : slotSchema(field, mayBeNull);
}

/** Null is an item of an untyped array, and a value of an untyped map. */
function itemSchema(slot: Slot): BsonSchema {
  return slotSchema(slot, slot.nullable);
}

const isUntyped = ({ node }: Slot): boolean => node.kind === 'leaf' && node.leaf === anyLeaf;

function slotSchema(slot: Slot, mayBeNull: boolean): BsonSchema {
  const schema = nodeSchema(slot);
  return mayBeNull ? orNull(schema) : schema;
}

function orNull(schema: BsonSchema): BsonSchema {
  const { anyOf, enum: values, bsonType } = schema;
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [orNull(anyOf[0]), ...anyOf.slice(1)] };
  if (Array.isArray(values)) return { ...schema, enum: [...values, null] };
  return bsonType === undefined ? schema : { ...schema, bsonType: [bsonType, 'null'].flat() };
}

function nodeSchema(slot: Slot): BsonSchema {
  const { node } = slot;
  switch (node.kind) {
    case 'leaf':
      return leafSchema(node, slot);
    case 'object':
      return objectSchema(node);
    case 'array':
      return arraySchema(node);
    case 'map':
      return mapSchema(node);
  }
}

function arraySchema({ items, keywords: { minItems, maxItems, uniqueItems } }: ArrayNode): BsonSchema {
  const isComparedAlike = items.node.kind === 'leaf' && comparedAlike.has(items.node.leaf);
  return {
    bsonType: 'array',
    items: itemSchema(items),
    ...defined({ minItems, maxItems, uniqueItems: uniqueItems === true && isComparedAlike ? true : undefined }),
  };
}

function mapSchema({ values, keywords: { minProperties, maxProperties } }: MapNode): BsonSchema {
  return { bsonType: 'object', additionalProperties: itemSchema(values), ...defined({ minProperties, maxProperties }) };
}

/** Types of which MongoDB calls two values equal exactly if the library does. */
const comparedAlike: ReadonlySet<Leaf> = new Set([stringLeaf, intLeaf, booleanLeaf, dateLeaf, objectIdLeaf] as Leaf[]);

function leafSchema(node: LeafNode, slot: Slot): BsonSchema {
  const { leaf } = node;
  if (leaf === (pointLeaf as Leaf)) return pointSchema;
  if (leaf.readSchema.enum) return { enum: leaf.readSchema.enum };
  const [only, ...others] = (leaf.accepted ?? []).map((form) => formSchema(form, node, slot));
  if (only === undefined) return {};
  return others.length > 0 ? { anyOf: [only, ...others] } : only;
}

function formSchema(form: AcceptedForm, { leaf, keywords, bounds = keywords }: LeafNode, slot: Slot): BsonSchema {
  const [type] = form.bsonTypes;
  const bsonType = form.bsonTypes.length === 1 ? type : [...form.bsonTypes];
  if (type === 'string') return { bsonType, ...(leaf.base ? { pattern: inPcre(form.pattern?.source) } : textRules(keywords)) };
  return { bsonType, ...(isNumeric(form) ? numberRules(form, boundsIn(form, leaf, bounds, slot)) : {}) };
}

const isNumeric = ({ bsonTypes }: AcceptedForm): boolean => bsonTypes.includes('int') || bsonTypes.includes('double');

/** The bounds of a field as its collection has the values. */
function boundsIn(form: AcceptedForm, leaf: Leaf, bounds: BsonSchema, { constraint }: Slot): BsonSchema {
  if (leaf.name !== 'decimal') return leaf.base ? {} : bounds;
  const { minimum, maximum } = bounds;
  if (leaf.base) return defined({ minimum: inForm(leaf, minimum), maximum: inForm(leaf, maximum) });
  if (!form.bsonTypes.includes('double')) return bounds;
  // A double counts by its shortest digits, 0.1, of which it is not exactly the value.
  const asDouble = (bound: unknown) => (bound === undefined ? undefined : Number(String(bound)));
  const isBroken = (bound: unknown) => bound !== undefined && constraint?.(leaf.toDocument(asDouble(bound))) !== undefined;
  return {
    [isBroken(minimum) ? 'exclusiveMinimum' : 'minimum']: asDouble(minimum),
    [isBroken(maximum) ? 'exclusiveMaximum' : 'maximum']: asDouble(maximum),
  };
}

function inForm(leaf: Leaf, bound: unknown): unknown {
  return bound === undefined ? undefined : leaf.fromCompared?.(bound);
}

/** In draft 4, `items` may be an array of schemas. */
const pointSchema: BsonSchema = {
  bsonType: 'object',
  required: ['type', 'coordinates'],
  properties: {
    type: { enum: ['Point'] },
    coordinates: {
      bsonType: 'array',
      items: coordinateSchemas.map(({ minimum, maximum }) => ({ bsonType: ['int', 'long', 'double'], minimum, maximum })),
      minItems: coordinateSchemas.length,
      maxItems: coordinateSchemas.length,
    },
  },
  additionalProperties: false,
};

/**
 * A pattern of letters, digits and classes of them, which all dialects of regular expressions read alike, however long
 * the text is. MongoDB compiles one of this length: a class takes up to eight times as many bytes then, of 64 KiB.
 */
const plainPattern = /^(?=.{0,4096}$)\^?(?:[\w-]|\[[\w-]+\]|\{\d{1,3}(?:,\d{0,3})?\}|[?*+])*\$?$/;

function textRules({ minLength, maxLength, pattern }: BsonSchema): BsonSchema {
  const isPlain = typeof pattern === 'string' && (pattern === addressable || plainPattern.test(pattern));
  return defined({ minLength, maxLength, pattern: isPlain ? inPcre(pattern) : undefined });
}

/** In PCRE, `$` matches before a line feed at the end, too. */
function inPcre(pattern: string | undefined): string | undefined {
  return pattern?.replace(/\$$/, '\\z');
}

const mostDecimal = Decimal128.fromString(`9.${'9'.repeat(33)}E+6144`);
const leastDecimal = Decimal128.fromString(`-${mostDecimal}`);

function numberRules(
  form: AcceptedForm,
  { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below, multipleOf }: BsonSchema,
): BsonSchema {
  const [least, most] = form.bsonTypes.includes('decimal')
    ? [leastDecimal, mostDecimal]
    : form.bsonTypes.includes('double')
      ? [form.minimum ?? -Number.MAX_VALUE, form.maximum ?? Number.MAX_VALUE]
      : [];
  const lower = tightest([{ bound: above, isExclusive: true }, { bound: minimum }, { bound: least }], 1);
  const upper = tightest([{ bound: below, isExclusive: true }, { bound: maximum }, { bound: most }], -1);
  // The library allows for the rounding of fractions, and MongoDB does not.
  const step = form.isWhole && Number.isInteger(multipleOf) ? multipleOf : form.isWhole && 1;
  return defined({
    minimum: lower?.bound,
    exclusiveMinimum: lower?.isExclusive,
    maximum: upper?.bound,
    exclusiveMaximum: upper?.isExclusive,
    multipleOf: step,
  });
}

/** In draft 4, `exclusiveMinimum` says of `minimum` that it is exclusive. */
interface Bound {
  readonly bound: unknown;
  readonly isExclusive?: true;
}

function tightest(bounds: readonly Bound[], sign: 1 | -1): Bound | undefined {
  const given = bounds.filter(({ bound }) => bound !== undefined);
  return given.reduce<Bound | undefined>(
    (best, one) => (best === undefined || sign * (Number(String(one.bound)) - Number(String(best.bound))) > 0 ? one : best),
    undefined,
  );
}

function defined(keywords: BsonSchema): BsonSchema {
  return Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined));
}
