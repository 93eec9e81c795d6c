/** The parts of a JSON Schema in a description that decide how a value is sent. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly maxItems?: number;
  /** Whether a patch merges the keys of the map. */
  readonly 'x-merge'?: boolean;
}

/** The named schemas of a description. */
export type Schemas = Readonly<Record<string, Schema>>;

/** The schema of the value if it is not null, with its reference followed. An unknown schema is an empty one. */
export function resolve(schema: Schema | undefined, schemas: Schemas): Schema {
  const branch = branchOf(schema);
  return branch.$ref === undefined ? branch : (own(schemas, nameOf(branch.$ref)) ?? {});
}

/** An own member of an object: a field may be called `constructor`, and every object inherits one. */
export function own<T>(object: Readonly<Record<string, T>> | undefined, key: string): T | undefined {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Whether the value may be null. */
export function isNullable(schema: Schema | undefined): boolean {
  if (!schema) return true;
  return [schema.type].flat().includes('null') || (schema.anyOf?.some(isNull) ?? false);
}

/**
 * Whether an object is written key by key (RFC 7396). Everything else is replaced by what is sent: arrays, maps,
 * untyped values, and the objects of a resource with `mergePatch: false`. The schemas of what is merged are called
 * `<Name>Patch`.
 */
export function isMerged(schema: Schema | undefined): boolean {
  return branchOf(schema).$ref?.endsWith('Patch') ?? false;
}

function branchOf(schema: Schema | undefined): Schema {
  return schema?.anyOf?.find((branch) => !isNull(branch)) ?? schema ?? {};
}

function isNull({ type }: Schema): boolean {
  return type === 'null';
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1);
}
