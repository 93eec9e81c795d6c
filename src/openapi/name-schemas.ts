import { ConfigurationError } from '../errors.ts';
import type { Schema } from './document.ts';
import { isReadable, NamedSchema, toPascalCase, toText } from './named-schema.ts';
import { problemName } from './problem-responses.ts';
import type { RecordSchemas } from './record-schemas.ts';
import { holdsUntyped, untypedName, untypedSchema } from './untyped-value.ts';

/** What a resource describes, and the name by which its schemas are told from those of another resource over the same model. */
export interface Described {
  readonly path: string;
  readonly schemas: RecordSchemas;
}

/** Schemas under the names that they are published by. */
export interface NamedSchemas {
  readonly components: Readonly<Record<string, Schema>>;
  /** A copy of a schema in which names stand for the schemas that have one. */
  resolve(schema: Schema): Schema;
}

/** One use of a named schema. */
interface Use {
  readonly named: NamedSchema;
  readonly path: string;
  readonly text: string;
}

/**
 * Names the schemas of all resources: `<Model>Patch`, `<Embedded>`, `<Embedded>Create` if it differs from what is read, … Only schemas that
 * are referred to are named. Throws a {@link ConfigurationError} if two different objects would have one name.
 */
export function nameSchemas(described: readonly Described[]): NamedSchemas {
  const uses = described.flatMap(({ path, schemas }) =>
    Object.values(schemas).flatMap((schema) => findNamed(schema).map((named) => ({ named, path, text: toText(named.schema) }))),
  );
  const groups = groupBy(uses, ({ named }) => `${named.kind} ${named.base}`);
  for (const group of groups.values()) checkDefinitions(group);
  const names = new Map([...groups.values()].flatMap((group) => group.map((use) => [use.named, nameOf(use, group)] as const)));
  const resolve = (schema: Schema): Schema => replaceNamed(schema, names) as Schema;
  const untyped = described.some(({ schemas }) => holdsUntyped(schemas)) ? { [untypedName]: untypedSchema } : {};
  return { components: { ...collect(uses, names, resolve), ...untyped }, resolve };
}

function findNamed(part: unknown): NamedSchema[] {
  if (part instanceof NamedSchema) return [part, ...findNamed(part.schema)];
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(findNamed) : [];
}

function groupBy(uses: readonly Use[], keyOf: (use: Use) => string): Map<string, Use[]> {
  const groups = new Map<string, Use[]>();
  for (const use of uses) groups.set(keyOf(use), [...(groups.get(keyOf(use)) ?? []), use]);
  return groups;
}

function checkDefinitions(group: readonly Use[]): void {
  const [first, ...rest] = group;
  const other = rest.find(({ named }) => named.definition !== first?.named.definition);
  if (!first || !other) return;
  const what = first.named.kind === 'record' ? 'models' : 'embedded objects';
  throw new ConfigurationError(
    `Two different ${what} are called \`${first.named.base}\` (in the resources \`${first.path}\` and \`${other.path}\`): the description of the api needs a name for each.`,
  );
}

/** The name of a schema among those of its object. */
function nameOf({ named, path, text }: Use, group: readonly Use[]): string {
  const { base, kind, shape } = named;
  const readable = group.find((use) => use.named.shape === 'Read');
  if (kind === 'embedded' && (shape === 'Read' || (isWhole(shape) && readable?.text === text))) return base;
  const create =
    shape === 'Replace' ? group.find((use) => use.named.shape === 'Create' && use.path === path && use.text === text) : undefined;
  const suffix = create ? 'Create' : shape;
  const isAmbiguous = group.some((use) => use.named.shape === (create ?? { named }).named.shape && use.text !== text);
  return isAmbiguous ? `${base}${toPascalCase(path)}${suffix}` : `${base}${suffix}`;
}

function isWhole(shape: NamedSchema['shape']): boolean {
  return shape === 'Create' || shape === 'Replace';
}

function replaceNamed(part: unknown, names: ReadonlyMap<NamedSchema, string>): unknown {
  if (part instanceof NamedSchema) return `#/components/schemas/${names.get(part)}`;
  if (Array.isArray(part)) return part.map((one) => replaceNamed(one, names));
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, replaceNamed(value, names)]));
}

function collect(
  uses: readonly Use[],
  names: ReadonlyMap<NamedSchema, string>,
  resolve: (schema: Schema) => Schema,
): Record<string, Schema> {
  const byName = [...groupBy(uses, ({ named }) => names.get(named) ?? '')].sort(([a], [b]) => (a < b ? -1 : 1));
  const components = byName.map(([name, sharing]) => {
    const [first, ...rest] = sharing as [Use, ...Use[]];
    if (name === problemName || name === untypedName || rest.some((use) => use.text !== first.text)) {
      throw new ConfigurationError(
        `Two different schemas would be called \`${name}\` in the description of the api: rename one of the objects.`,
      );
    }
    const isWritten = sharing.some(({ named }) => !isReadable(named.shape));
    return [name, { ...resolve(first.named.schema), ...(isWritten ? { additionalProperties: false } : {}) }] as const;
  });
  return Object.fromEntries(components);
}
