import { asCompiled, type CompiledModel, type ModelInput } from '../../model/compile/compile-model.ts';
import type { ArrayNode, CompiledField, LeafNode, MapNode, Node, ObjectNode, Slot } from '../../model/node.ts';
import type { Leaf } from '../../model/value/leaf.ts';
import { anyLeaf, binaryLeaf, booleanLeaf, dateLeaf, objectIdLeaf, stringLeaf, uuidLeaf } from '../../model/value/leaves.ts';
import { decimalLeaf, floatLeaf, int64Leaf, intLeaf } from '../../model/value/number-leaves.ts';
import { coordinateSchemas, pointLeaf } from '../../model/value/point-leaf.ts';

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
 * Returns the rules of a model that MongoDB itself can check, for `collMod`. They accept everything that the library
 * writes, and refuse a document of another program that has a required field not, or a value of another type, or one
 * beyond a bound, a length or an enum.
 *
 * They do not know: `check`, formats, `propertyNames`, patterns other than simple ones, and the schemas of untyped
 * values. Keys that are not fields are accepted, and so is a record without a field that has a default: it reads as the
 * default.
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
  const required = node.fields.filter(isAlwaysStored).map(({ key }) => key);
  return {
    bsonType: 'object',
    ...(required.length > 0 ? { required } : {}), // MongoDB refuses an empty array
    properties: Object.fromEntries(node.fields.map((field) => [field.key, slotSchema(field, field.storeNone)])),
  };
}

/**
 * Whether every record has a stored value of the field. Records from the time before the field may lack one that has a
 * default.
 */
function isAlwaysStored({ optional, nullable, storeNone, makeDefault, maintained }: CompiledField): boolean {
  return !(optional || makeDefault || maintained || (nullable && !storeNone));
}

/**
 * The schema of a value that is stored in this place. Only items of arrays and maps, and fields with `storeNone`, store
 * null as null.
 */
function slotSchema({ node, nullable }: Slot, storesNull: boolean): BsonSchema {
  const schema = nodeSchema(node);
  const { bsonType, enum: values } = schema;
  if (!nullable || !storesNull || (bsonType === undefined && values === undefined)) return schema;
  if (Array.isArray(values)) return { ...schema, enum: [...values, null] };
  return { ...schema, bsonType: [bsonType, 'null'].flat() };
}

function nodeSchema(node: Node): BsonSchema {
  switch (node.kind) {
    case 'leaf':
      return leafSchema(node);
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
    items: slotSchema(items, true),
    ...defined({ minItems, maxItems, uniqueItems: uniqueItems === true && isComparedAlike ? true : undefined }),
  };
}

function mapSchema({ values, keywords: { minProperties, maxProperties } }: MapNode): BsonSchema {
  return { bsonType: 'object', additionalProperties: slotSchema(values, true), ...defined({ minProperties, maxProperties }) };
}

/** The forms in which the library stores values of a type. */
const stored = new Map<Leaf, string | readonly string[]>([
  [stringLeaf, 'string'],
  [intLeaf, ['int', 'long']],
  [int64Leaf, 'long'],
  [floatLeaf, 'double'],
  [decimalLeaf, 'decimal'],
  [booleanLeaf, 'bool'],
  [dateLeaf, 'date'],
  [objectIdLeaf, 'objectId'],
  [uuidLeaf, 'binData'],
  [binaryLeaf, 'binData'],
] as [Leaf, string | readonly string[]][]);

/** Types of which MongoDB calls two values equal exactly if the library does. */
const comparedAlike: ReadonlySet<Leaf> = new Set([stringLeaf, intLeaf, booleanLeaf, dateLeaf, objectIdLeaf] as Leaf[]);

function leafSchema({ leaf, keywords, bounds }: LeafNode): BsonSchema {
  if (leaf.base) return formSchema(leaf, bounds);
  const bsonType = stored.get(leaf);
  if (leaf === anyLeaf) return {};
  if (leaf === (pointLeaf as Leaf)) return pointSchema;
  if (bsonType === undefined) return { enum: leaf.readSchema.enum };
  return {
    bsonType,
    ...(leaf === stringLeaf ? textRules(keywords) : {}),
    ...(numeric.has(leaf) ? numberRules(leaf, bounds ?? keywords) : {}),
  };
}

/** The rules of a type that is stored in another form than its own. An integer may be stored as a double. */
function formSchema(leaf: Leaf, { minimum, maximum }: BsonSchema = {}): BsonSchema {
  if (leaf.bsonTypes.includes('string'))
    return { bsonType: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z$' };
  const range = leaf.name === 'boolean' ? { minimum: 0, maximum: 1 } : { minimum: inForm(leaf, minimum), maximum: inForm(leaf, maximum) };
  return { bsonType: [...leaf.bsonTypes], multipleOf: 1, ...defined(range) };
}

function inForm(leaf: Leaf, bound: unknown): unknown {
  return bound === undefined ? undefined : leaf.fromCompared?.(bound);
}

/** The two coordinates are doubles. In draft 4, `items` may be an array of schemas. */
const pointSchema: BsonSchema = {
  bsonType: 'object',
  required: ['type', 'coordinates'],
  properties: {
    type: { enum: ['Point'] },
    coordinates: {
      bsonType: 'array',
      items: coordinateSchemas.map(({ minimum, maximum }) => ({ bsonType: 'double', minimum, maximum })),
      minItems: coordinateSchemas.length,
      maxItems: coordinateSchemas.length,
    },
  },
  additionalProperties: false,
};

const numeric: ReadonlySet<Leaf> = new Set([intLeaf, int64Leaf, floatLeaf, decimalLeaf] as Leaf[]);

/**
 * A pattern of letters, digits and classes of them, which all dialects of regular expressions read alike, however long
 * the text is. MongoDB compiles one of this length: a class takes up to eight times as many bytes then, of 64 KiB.
 */
const plainPattern = /^(?=.{0,4096}$)\^?(?:[\w-]|\[[\w-]+\]|\{\d{1,3}(?:,\d{0,3})?\}|[?*+])*\$?$/;

function textRules({ minLength, maxLength, pattern }: BsonSchema): BsonSchema {
  return defined({ minLength, maxLength, pattern: typeof pattern === 'string' && plainPattern.test(pattern) ? pattern : undefined });
}

/** In draft 4, `exclusiveMinimum` says of `minimum` that it is exclusive. */
function numberRules(
  leaf: Leaf,
  { minimum, maximum, exclusiveMinimum: above, exclusiveMaximum: below, multipleOf }: BsonSchema,
): BsonSchema {
  const isAbove = above !== undefined && (minimum === undefined || (above as number) >= (minimum as number));
  const isBelow = below !== undefined && (maximum === undefined || (below as number) <= (maximum as number));
  return defined({
    minimum: isAbove ? above : minimum,
    exclusiveMinimum: isAbove || undefined,
    maximum: isBelow ? below : maximum,
    exclusiveMaximum: isBelow || undefined,
    // The library allows for the rounding of fractions, and MongoDB does not.
    multipleOf: leaf === intLeaf && Number.isInteger(multipleOf) ? multipleOf : undefined,
  });
}

function defined(keywords: BsonSchema): BsonSchema {
  return Object.fromEntries(Object.entries(keywords).filter(([, value]) => value !== undefined));
}
