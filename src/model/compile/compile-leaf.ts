import type { Decimal128 } from 'mongodb';
import { ConfigurationError } from '../../errors.ts';
import { Invalid } from '../../rules.ts';
import { annotations, checkKeywords, type GivenSchema, markers, pick } from '../define/raw-schema.ts';
import type { LeafNode, Slot } from '../node.ts';
import { binaryLeaf, binaryLeafOf, isBase64, notBinary } from '../value/binary-leaf.ts';
import { isDecimal128 } from '../value/bson-type.ts';
import { aboveMaximum, belowMinimum, compileDecimalBounds } from '../value/decimal-bounds.ts';
import type { Constraint, Leaf } from '../value/leaf.ts';
import { anyLeaf, booleanLeaf, dateLeaf, enumLeaf, objectIdLeaf, stringLeaf, uuidLeaf } from '../value/leaves.ts';
import { decimalLeaf, floatLeaf, int64Leaf, intLeaf } from '../value/number-leaves.ts';
import { isObject } from '../value/plain-object.ts';
import { pointLeaf } from '../value/point-leaf.ts';
import { leafStoredAs, maxScale, storedForms } from '../value/stored-forms.ts';
import { hasEqualItems } from '../value/unique-items.ts';
import { compileConstraint, compileUntyped } from './constraint.ts';

/** Compiles the schema of a single value: its leaf, and its constraint. */
export function compileLeaf(schema: GivenSchema, nullable: boolean, path: string): Slot {
  checkEnum(schema, path);
  const leaf = findLeaf(schema, path);
  if (leaf === anyLeaf) return compileAny(schema, nullable, path);
  const legal = constraintKeywords.get(leaf) ?? [];
  const others = leaf === stringLeaf ? ['caseless'] : formKeywords(leaf);
  const fixed = leaf === (pointLeaf as Leaf) ? { type: 'object' } : leaf.readSchema;
  checkKeywords(schema, ['type', 'bsonType', ...Object.keys(fixed), ...legal, ...others], path, `a field of type ${leaf.name}`);
  checkFixed(schema, fixed, leaf, path);
  const keywords = pick(schema, legal);
  const isDecimal = leaf === decimalLeaf; // a string on the wire, for which JSON Schema has no bounds
  const constraint = compileKeywords(leaf, keywords, path);
  const stored = compileForm(leaf, schema, path);
  if (!isDecimal)
    return { node: { kind: 'leaf', leaf: stored, keywords, ...compileCaseless(schema.caseless, path) }, nullable, constraint };
  const bounds = pick(
    { minimum: asDecimal(keywords.minimum, 'minimum', path), maximum: asDecimal(keywords.maximum, 'maximum', path) },
    legal,
  );
  return { node: { kind: 'leaf', leaf: stored, keywords: {}, bounds }, nullable, constraint };
}

/** The keywords of the form in which the values of a type are stored. */
function formKeywords({ name }: Leaf): readonly string[] {
  if (name === 'decimal') return ['storedAs', 'scale'];
  if (name === 'binary') return ['subtype'];
  return name in storedForms ? ['storedAs'] : [];
}

/** Reads `storedAs`, the form in which the database has the values. */
function compileForm(leaf: Leaf, { storedAs, scale, stored, subtype }: GivenSchema, path: string): Leaf {
  const forms: readonly unknown[] = Object.hasOwn(storedForms, leaf.name) ? storedForms[leaf.name as keyof typeof storedForms] : [];
  if (forms.includes(stored))
    throw new ConfigurationError(
      `\`stored: '${stored}'\` of \`${path}\` would be the key of the field: for the form of its values write \`storedAs: '${stored}'\`.`,
    );
  const isScaled = leaf.name === 'decimal' && storedAs !== undefined;
  if (isScaled ? !(Number.isInteger(scale) && (scale as number) >= 0 && (scale as number) <= maxScale) : scale !== undefined)
    throw new ConfigurationError(
      isScaled
        ? `\`scale\` of \`${path}\` must be the number of digits behind the point, from 0 to ${maxScale}: 2 for cents.`
        : `\`scale\` of \`${path}\` belongs to \`storedAs: 'int'\`.`,
    );
  if (leaf === binaryLeaf) return compileSubtype(subtype, path);
  if (storedAs === undefined) return leaf;
  const made = forms.includes(storedAs) ? leafStoredAs(leaf, storedAs, scale as number) : undefined;
  if (!made) throw new ConfigurationError(`\`storedAs\` of \`${path}\` must be one of ${forms.join(', ')}.`);
  return made;
}

/** Reads `subtype` of binary data. */
function compileSubtype(subtype: unknown = 0, path: string): Leaf {
  if (Number.isInteger(subtype) && (subtype as number) >= 0 && (subtype as number) <= 255) return binaryLeafOf(subtype as number) as Leaf;
  throw new ConfigurationError(`\`subtype\` of \`${path}\` must be a subtype of binary data in BSON, from 0 to 255.`);
}

/** Reads `caseless` of a text. */
function compileCaseless(given: unknown, path: string): Pick<LeafNode, 'caseless'> {
  if (given === undefined || given === false) return {};
  const { accents = true, ...others } = isObject(given) ? given : given === true ? {} : { given };
  if (typeof accents !== 'boolean' || Object.keys(others).length > 0)
    throw new ConfigurationError(`\`caseless\` of \`${path}\` must be true, false, or { accents: false }.`);
  return { caseless: { accents } };
}

const numberKeywords = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'] as const;

const constraintKeywords = new Map<Leaf, readonly string[]>([
  [stringLeaf, ['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding']],
  [intLeaf, numberKeywords],
  [floatLeaf, numberKeywords],
  [int64Leaf, ['minimum', 'maximum']],
  [decimalLeaf, ['minimum', 'maximum']],
]);

function compileKeywords(leaf: Leaf, keywords: GivenSchema, path: string): Constraint | undefined {
  const { minimum, maximum } = keywords;
  if (leaf === int64Leaf) return compileBounds(asInteger(minimum, 'minimum', path), asInteger(maximum, 'maximum', path));
  if (leaf === decimalLeaf) return compileDecimalBounds(asDecimal(minimum, 'minimum', path), asDecimal(maximum, 'maximum', path));
  return leaf === stringLeaf ? compileText(keywords, path) : compileConstraint('number', keywords, path);
}

/** JSON Schema only describes the encoding of a text. A pattern for it would run out of stack on some megabytes. */
function compileText({ contentEncoding, ...keywords }: GivenSchema, path: string): Constraint | undefined {
  const constraint = compileConstraint('string', keywords, path);
  if (contentEncoding === undefined) return constraint;
  if (contentEncoding !== 'base64') throw new ConfigurationError(`\`contentEncoding\` of \`${path}\` must be \`base64\`.`);
  return (text) => (isBase64(text as string) ? constraint?.(text) : notBinary);
}

/** Compiles inclusive bounds of an int64. They are exact; Ajv would round them. */
function compileBounds(minimum: bigint | undefined, maximum: bigint | undefined): Constraint | undefined {
  if (minimum === undefined && maximum === undefined) return undefined;
  return function checkBounds(value) {
    if (minimum !== undefined && (value as bigint) < minimum) return belowMinimum(minimum);
    if (maximum !== undefined && (value as bigint) > maximum) return aboveMaximum(maximum);
    return undefined;
  };
}

function asInteger(bound: unknown, keyword: string, path: string): bigint | undefined {
  if (bound === undefined || typeof bound === 'bigint') return bound;
  if (Number.isSafeInteger(bound)) return BigInt(bound as number);
  throw new ConfigurationError(`\`${keyword}\` of \`${path}\` must be an integer: a bigint, or a number within the safe range.`);
}

function asDecimal(bound: unknown, keyword: string, path: string): Decimal128 | undefined {
  if (bound === undefined) return undefined;
  const decimal = isDecimal128(bound) ? decimalLeaf.fromDocument(bound) : decimalLeaf.fromJson(bound);
  if (decimal instanceof Invalid) throw new ConfigurationError(`\`${keyword}\` of \`${path}\` ${decimal.message}.`);
  return decimal as Decimal128;
}

/**
 * Compiles a hand-written schema that describes none of the library's types. The schema is kept as it is, and Ajv
 * checks it.
 */
function compileAny(schema: GivenSchema, nullable: boolean, path: string): Slot {
  const own = new Set<string>([...annotations, ...markers]);
  const keywords = Object.fromEntries(Object.entries(schema).filter(([keyword, value]) => !own.has(keyword) && value !== undefined));
  return { node: { kind: 'leaf', leaf: anyLeaf, keywords }, nullable, constraint: compileUntyped(keywords, path) };
}

function findLeaf(schema: GivenSchema, path: string): Leaf {
  const { bsonType, type, enum: values } = schema;
  if (bsonType !== undefined) {
    const leaf = bsonType === 'binData' && schema.format === 'uuid' ? uuidLeaf : bsonLeaves.get(bsonType);
    if (!leaf) throw new ConfigurationError(`\`bsonType\` of \`${path}\` must be one of ${[...bsonLeaves.keys()].join(', ')}.`);
    return leaf;
  }
  if (isEnum(values)) return enumLeaf(values);
  return (values === undefined && !('const' in schema) && jsonLeaves.get(type)) || anyLeaf;
}

/** Refuses an enum without members, with a member of another type, or with equal members. */
function checkEnum({ type, enum: values }: GivenSchema, path: string): void {
  if (values === undefined) return;
  const what = `\`enum\` of \`${path}\``;
  if (!Array.isArray(values))
    throw new ConfigurationError(`${what} must be an array of values: for a TypeScript \`enum\` pass \`Object.values(…)\`.`);
  if (values.length === 0) throw new ConfigurationError(`${what} must have a member.`);
  const wrong = type === 'string' ? values.filter((value) => typeof value !== 'string') : [];
  if (wrong.length > 0) {
    throw new ConfigurationError(
      `${what} must be an array of strings, because its type is string; it has ${JSON.stringify(wrong[0])}. For other values write the schema without a type: { enum: [1, 2] }.`,
    );
  }
  if (!hasEqualItems(values)) return;
  const twice = values.find((_value, index) => hasEqualItems(values.slice(0, index + 1)));
  throw new ConfigurationError(`${what} has the member ${JSON.stringify(twice)} twice: remove one.`);
}

function isEnum(values: unknown): values is readonly string[] {
  return Array.isArray(values) && values.length > 0 && values.every((value) => typeof value === 'string');
}

/**
 * Refuses keywords that contradict the JSON form of the field's type: `type: 'number'` on a date would have no effect.
 */
function checkFixed(schema: GivenSchema, fixed: GivenSchema, leaf: Leaf, path: string): void {
  for (const [keyword, value] of Object.entries(fixed)) {
    if (keyword !== 'enum' && schema[keyword] !== undefined && schema[keyword] !== value) {
      throw new ConfigurationError(
        `\`${keyword}\` of \`${path}\` must be \`${String(value)}\`, the JSON form of a field of type ${leaf.name}.`,
      );
    }
  }
}

const bsonLeaves = new Map<unknown, Leaf>([
  ['int', intLeaf],
  ['long', int64Leaf],
  ['double', floatLeaf],
  ['decimal', decimalLeaf],
  ['date', dateLeaf],
  ['objectId', objectIdLeaf],
  ['binData', binaryLeaf],
  ['point', pointLeaf as Leaf],
]);

const jsonLeaves = new Map<unknown, Leaf>([
  ['string', stringLeaf],
  ['integer', intLeaf],
  ['number', floatLeaf],
  ['boolean', booleanLeaf],
]);
