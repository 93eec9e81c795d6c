import { ConfigurationError } from '../../errors.ts';
import { problemName } from '../components.ts';
import type { Schema } from '../document.ts';
import { isReadable, NamedSchema, toPascalCase } from './named-schema.ts';
import type { RecordSchemas } from './record-schemas.ts';
import { holdsUntyped, untypedName, untypedReference, untypedSchema } from './untyped-value.ts';

/**
 * What a resource describes, and a name that distinguishes its schemas from those of another resource over the same
 * model.
 */
export interface Described {
  readonly path: string;
  readonly schemas: RecordSchemas;
}

/** Schemas under the names that they are published by. */
export interface NamedSchemas {
  /** The schemas that have a name. */
  publish(): Readonly<Record<string, Schema>>;
  /** A copy of a schema in which each named schema is replaced by its name. */
  resolve(schema: Schema): Schema;
}

/** The names that the library needs itself. */
export const ownNames: ReadonlySet<string> = new Set([problemName, untypedName]);

/** One use of a named schema. */
interface Use {
  readonly named: NamedSchema;
  readonly path: string;
}

/**
 * Names the schemas of all resources: `<Model>Patch`, `<Embedded>`, `<Embedded>Create` if it differs from what is read,
 * … Only schemas that are referred to are named. `place` is where the caller publishes them. Throws a
 * {@link ConfigurationError} if two different objects would have one name.
 */
export function nameSchemas(described: readonly Described[], place = '#/components/schemas/'): NamedSchemas {
  const uses = described.flatMap(({ path, schemas }) => [...findNamed(schemas)].map((named) => ({ named, path })));
  const groups = groupBy(uses, ({ named }) => `${named.kind} ${named.base}`);
  for (const group of groups.values()) checkDefinitions(group);
  const names = new Map([...groups.values()].flatMap((group) => group.map((use) => [use.named, nameOf(use, group)] as const)));
  const byName = [...groupBy(uses, ({ named }) => names.get(named) ?? '')].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [name, sharing] of byName) checkName(name, sharing);
  const resolve = (schema: Schema): Schema => replaceNamed(schema, names, place) as Schema;
  return {
    publish() {
      const untyped = described.some(({ schemas }) => holdsUntyped(schemas)) ? { [untypedName]: resolve(untypedSchema) } : {};
      return { ...Object.fromEntries(byName.map(([name, sharing]) => [name, publishOne(sharing, resolve)])), ...untyped };
    },
    resolve,
  };
}

/** The named schemas in a part, each once, in the order in which they are referred to. */
function findNamed(part: unknown, found = new Set<NamedSchema>()): ReadonlySet<NamedSchema> {
  if (typeof part !== 'object' || part === null) return found;
  if (!(part instanceof NamedSchema)) {
    for (const inner of Object.values(part)) findNamed(inner, found);
  } else if (!found.has(part)) {
    findNamed(part.schema, found.add(part));
  }
  return found;
}

function groupBy(uses: readonly Use[], keyOf: (use: Use) => string): Map<string, Use[]> {
  const groups = new Map<string, Use[]>();
  for (const use of uses) {
    const key = keyOf(use);
    const group = groups.get(key);
    if (group) group.push(use);
    else groups.set(key, [use]);
  }
  return groups;
}

function checkDefinitions(group: readonly Use[]): void {
  const [first, ...rest] = group;
  const other = rest.find(({ named }) => first && !named.isOfSameDefinition(first.named));
  if (!first || !other) return;
  const what = first.named.kind === 'record' ? 'models' : 'embedded objects';
  throw new ConfigurationError(
    `Two different ${what} are called \`${first.named.base}\` (in the resources \`${first.path}\` and \`${other.path}\`): the description of the api needs a name for each.`,
  );
}

/** The name of a schema among those of its object. */
function nameOf({ named, path }: Use, group: readonly Use[]): string {
  const { base, kind, shape } = named;
  const readable = group.find((use) => use.named.shape === 'Read');
  if (kind === 'embedded' && (shape === 'Read' || (isWhole(shape) && readable?.named.isEqual(named)))) return base;
  const create =
    shape === 'Replace' ? group.find((use) => use.named.shape === 'Create' && use.path === path && use.named.isEqual(named)) : undefined;
  const suffix = create ? 'Create' : shape;
  const isAmbiguous = group.some((use) => use.named.shape === (create ?? { named }).named.shape && !use.named.isEqual(named));
  return isAmbiguous ? `${base}${toPascalCase(path)}${suffix}` : `${base}${suffix}`;
}

function isWhole(shape: NamedSchema['shape']): boolean {
  return shape === 'Create' || shape === 'Replace';
}

function replaceNamed(part: unknown, names: ReadonlyMap<NamedSchema, string>, place: string): unknown {
  if (part instanceof NamedSchema) return `${place}${names.get(part)}`;
  if (part === untypedReference.$ref) return `${place}${untypedName}`;
  if (Array.isArray(part)) return part.map((one) => replaceNamed(one, names, place));
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, replaceNamed(value, names, place)]));
}

/** Refuses a name that different schemas would have, or that the description needs itself. */
function checkName(name: string, [first, ...rest]: readonly Use[]): void {
  const isTaken = ownNames.has(name);
  if (!isTaken && rest.every(({ named }) => first?.named.isEqual(named))) return;
  throw new ConfigurationError(
    `Two different schemas would be called \`${name}\` in the description of the api: rename one of the objects.`,
  );
}

/** The schema that these uses share. Clients must not send other properties than those of a body. */
function publishOne(sharing: readonly Use[], resolve: (schema: Schema) => Schema): Schema {
  const [first] = sharing as readonly [Use];
  const isWritten = sharing.some(({ named }) => !isReadable(named.shape));
  return { ...resolve(first.named.schema), ...(isWritten ? { additionalProperties: false } : {}) };
}
