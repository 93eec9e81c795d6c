import { ConfigurationError } from '../../errors.ts';
import { showName } from '../../hints.ts';
import { readOwnKeywords } from './own-keywords.ts';
import { asSchema, type GivenSchema } from './raw-schema.ts';

/** Keywords that hold a schema for each of several names. */
const byName: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas']);

/** Keywords that hold one schema, or an array of schemas. */
const ofSchemas: ReadonlySet<string> = new Set(
  'items additionalProperties anyOf oneOf allOf prefixItems contains not if then else propertyNames unevaluatedItems unevaluatedProperties'.split(
    ' ',
  ),
);

/** Keywords whose schemas describe no field, so that a default inside of them would have no effect. */
const ofNoField: ReadonlySet<string> = new Set(
  [...ofSchemas, ...byName].filter((keyword) => !['items', 'additionalProperties', 'properties'].includes(keyword)),
);

/** The schemas around a schema, and what their references have led to. */
interface SchemaPlace {
  readonly root: GivenSchema;
  /** The references that led here. */
  readonly within: readonly string[];
  readonly isInNoField: boolean;
  /** How many schemas have taken the places of references so far, in the whole document. */
  readonly referred: { count: number };
}

/**
 * Definitions that share others stand for exponentially many schemas. A model of so many fields compiles in about a
 * second.
 */
const mostReferred = 10_000;

/**
 * Turns a JSON Schema (2020-12) with `$schema`, `$defs` and `$ref` into one schema without references. Keywords with
 * the same meaning are written as this library writes them. Throws a {@link ConfigurationError} that names the keyword
 * and its place.
 */
export function resolveSchema(given: GivenSchema, path: string): GivenSchema {
  const { $schema, $id: _, ...schema } = given;
  if ($schema !== undefined && !/^https:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/.test(String($schema)))
    throw new ConfigurationError(
      `\`$schema\` of \`${path}\` must be https://json-schema.org/draft/2020-12/schema, and is ${showName($schema)}.`,
    );
  return resolveOne(schema, path, { root: given, within: [], isInNoField: false, referred: { count: 0 } });
}

/** Whether a schema, or one inside of it, has a `$ref`. */
export function hasReference(value: unknown, seen = new Set<unknown>()): boolean {
  if (typeof value !== 'object' || value === null || seen.has(value)) return false;
  seen.add(value); // in JavaScript, a schema may contain itself
  if ('$ref' in value) return true;
  return Object.entries(value).some(([keyword, member]) => {
    if (byName.has(keyword)) return Object.values(member ?? {}).some((one) => hasReference(one, seen));
    return ofSchemas.has(keyword) && [member].flat().some((one) => hasReference(one, seen));
  });
}

function resolveOne(given: GivenSchema, path: string, place: SchemaPlace): GivenSchema {
  const { $defs: _, definitions: __, $comment: ___, $ref, ...own } = given;
  const strange = Object.keys(own).find((keyword) => keyword.startsWith('$'));
  if (strange !== undefined)
    throw new ConfigurationError(`\`${strange}\` of \`${path}\` is not supported: only \`$schema\`, \`$defs\` and \`$ref\` are.`);
  if (place.isInNoField && own.default !== undefined)
    throw new ConfigurationError(
      `\`default\` of \`${path}\` would have no effect, because it lies in one of several alternatives: give it to the field.`,
    );
  if ($ref === undefined && place.within.length > 0) countReferred(path, place);
  const resolved = resolveMembers(own, path, place);
  const whole = normalize($ref === undefined ? resolved : addReferred(resolved, $ref, path, place));
  return place.isInNoField ? whole : readOwnKeywords(whole);
}

function countReferred(path: string, { referred }: SchemaPlace): void {
  if (++referred.count > mostReferred)
    throw new ConfigurationError(
      `\`${path}\` is one schema too many: the \`$ref\`s of a document may stand for ${mostReferred} schemas, each counted wherever it is referred to. Use \`{}\`, which allows every value, in place of some of them.`,
    );
}

function resolveMembers(schema: GivenSchema, path: string, place: SchemaPlace): GivenSchema {
  const resolved: Record<string, unknown> = { ...schema };
  for (const [keyword, value] of Object.entries(schema)) {
    const inside = { ...place, isInNoField: place.isInNoField || (ofNoField.has(keyword) && !isNullable(keyword, value)) };
    if (byName.has(keyword)) {
      const members = Object.entries(asSchema(value, path)).map(([name, one]) => [name, resolveAny(one, `${path}.${name}`, inside)]);
      resolved[keyword] = Object.fromEntries(members);
    } else if (ofSchemas.has(keyword)) {
      const at = keyword === 'items' || keyword === 'additionalProperties' ? `${path}.*` : path;
      resolved[keyword] = Array.isArray(value) ? value.map((one) => resolveAny(one, at, inside)) : resolveAny(value, at, inside);
    }
  }
  return resolved;
}

function resolveAny(value: unknown, path: string, place: SchemaPlace): unknown {
  return typeof value === 'boolean' ? value : resolveOne(asSchema(value, path), path, place);
}

/** Whether these are the alternatives of a field that may be null. */
function isNullable(keyword: string, branches: unknown): boolean {
  if ((keyword !== 'anyOf' && keyword !== 'oneOf') || !Array.isArray(branches)) return false;
  return branches.filter((branch: GivenSchema | null) => branch?.type !== 'null').length === 1;
}

function addReferred(own: GivenSchema, $ref: unknown, path: string, place: SchemaPlace): GivenSchema {
  const reference = String($ref);
  if (place.within.includes(reference) || reference === '#') {
    throw new ConfigurationError(
      `\`$ref\` of \`${path}\` refers to a schema that contains it (${reference}): a recursive schema is not supported. Use \`t.any()\` for values of any depth, or refer to a record with \`t.ref\`.`,
    );
  }
  const target = find(place.root, reference, path);
  const referred = typeof target === 'boolean' ? {} : resolveOne(target, path, { ...place, within: [...place.within, reference] });
  const both = Object.keys(own).find(
    (keyword) => keyword in referred && !describing.has(keyword) && !isSame(own[keyword], referred[keyword]),
  );
  if (both !== undefined)
    throw new ConfigurationError(
      `\`${both}\` of \`${path}\` is also a keyword of the schema that its \`$ref\` refers to: give it to one of them.`,
    );
  return { ...referred, ...own };
}

/** Keywords that may be given beside a reference, and then replace those of the schema that is referred to. */
const describing: ReadonlySet<string> = new Set(['title', 'description', 'examples', 'deprecated', 'default']);

/** Finds a schema by a JSON Pointer in a fragment (RFC 6901 §6). */
function find(root: GivenSchema, reference: string, path: string): GivenSchema | true {
  let found: unknown = root;
  const steps = reference.startsWith('#/') ? reference.slice(2).split('/').map(decode) : [undefined];
  for (const step of steps)
    found =
      typeof found === 'object' && found !== null && step !== undefined && Object.hasOwn(found, step)
        ? (found as GivenSchema)[step]
        : undefined;
  if (found === true) return true;
  if (typeof found === 'object' && found !== null && !Array.isArray(found)) return found as GivenSchema;
  throw new ConfigurationError(`\`$ref\` of \`${path}\` must refer to a schema in \`$defs\` of the same document, and is ${reference}.`);
}

function decode(step: string): string | undefined {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}

/** Formats that other libraries write beside the pattern which is their rule. */
const describedByPattern: ReadonlySet<string> = new Set(
  'base64 base64url cidrv4 cidrv6 cuid cuid2 e164 emoji guid hex ksuid lowercase mac nanoid ulid uppercase xid'.split(' '),
);

/** Writes a schema in the way that this library reads, with the same meaning. */
function normalize(schema: GivenSchema): GivenSchema {
  const { const: only, propertyNames, format, contentEncoding, ...rest } = schema;
  const isPatterned = schema.pattern !== undefined && (schema.type === 'string' || schema.type === undefined);
  const isDescribed = isPatterned && (contentEncoding !== undefined || describedByPattern.has(String(format)));
  return {
    ...rest,
    ...asMember(only, schema),
    ...(propertyNames === undefined || isSame(propertyNames, { type: 'string' }) ? {} : { propertyNames }),
    ...(format === undefined || isDescribed || isImplied(format, schema) ? {} : { format }),
    ...(contentEncoding === undefined || isDescribed ? {} : { contentEncoding }),
  };
}

/** A constant text is an enum with one member, which has a type. A constant null is null. */
function asMember(only: unknown, { type, enum: values }: GivenSchema): GivenSchema {
  if (only === null && (type === undefined || type === 'null')) return { type: 'null' };
  if (typeof only === 'string' && (type === undefined || type === 'string') && values === undefined)
    return { type: 'string', enum: [only] };
  return only === undefined ? {} : { const: only };
}

/** Whether a format adds nothing: beside a constant, and beside alternatives that have it themselves. */
function isImplied(format: unknown, { const: only, anyOf, oneOf }: GivenSchema): boolean {
  const branches = (anyOf ?? oneOf) as readonly GivenSchema[] | undefined;
  return only !== undefined || (Array.isArray(branches) && branches.every((branch) => branch.format === format || 'enum' in branch));
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
