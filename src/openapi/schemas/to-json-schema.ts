import { ConfigurationError } from '../../errors.ts';
import { asCompiled, type ModelInput } from '../../model/compile/compile-model.ts';
import type { WriteRules } from '../../model/write/access.ts';
import { checkOptions, type LegalOptions, trueOrFalse } from '../../options.ts';
import type { Schema } from '../document.ts';
import { noneIncluded } from './included-records.ts';
import { nameSchemas } from './name-schemas.ts';
import { describeBody, describeRead } from './record-schemas.ts';

const legal: LegalOptions<WriteRules> = { explicitWrites: trueOrFalse, mergePatch: trueOrFalse };

/**
 * Returns the JSON Schema (2020-12) of what clients read of the records of a model, or send to create, patch or put
 * one. It is complete: embedded objects are in `$defs`. It is a new object, which the caller may change.
 *
 * It is the schema of the OpenAPI description, with two differences: it does not show records that `include` adds, and
 * bounds of 64-bit integers are numbers, so that `JSON.stringify` and validators take them. `rules` are those of the
 * resource. A private field is in it only if the body must have it.
 *
 * Throws a `ConfigurationError` if two different objects of the model have the same name.
 *
 * @example
 * toJsonSchema(Order, 'read');
 * toJsonSchema(Order, 'patch', { mergePatch: false });
 */
export function toJsonSchema(
  model: ModelInput,
  shape: 'read' | 'create' | 'patch' | 'put',
  rules: WriteRules = {},
): Record<string, unknown> {
  checkOptions(rules, legal, '`toJsonSchema`');
  const compiled = asCompiled(model);
  const schemas = { [shape]: describeShape(compiled, shape, rules) };
  const { publish, resolve } = nameSchemas([{ path: compiled.name, schemas }], place);
  const { $ref } = resolve(schemas[shape] as Schema);
  const { [String($ref).slice(place.length)]: own, ...$defs } = publish();
  const dialect = { $schema: 'https://json-schema.org/draft/2020-12/schema' };
  return withNumbers({ ...dialect, title: compiled.name, ...own, ...(Object.keys($defs).length > 0 ? { $defs } : {}) }) as Record<
    string,
    unknown
  >;
}

const place = '#/$defs/';

function describeShape(model: ReturnType<typeof asCompiled>, shape: 'read' | 'create' | 'patch' | 'put', rules: WriteRules): Schema {
  switch (shape) {
    case 'read':
      return describeRead(model, noneIncluded).read as Schema;
    case 'create':
    case 'patch':
    case 'put':
      return describeBody(model, shape, rules);
    default:
      throw new ConfigurationError(`\`toJsonSchema\` describes 'read', 'create', 'patch' or 'put', and not '${String(shape)}'.`);
  }
}

function withNumbers(part: unknown): unknown {
  if (typeof part === 'bigint') return Number(part);
  if (Array.isArray(part)) return part.map(withNumbers);
  if (typeof part !== 'object' || part === null) return part;
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, withNumbers(value)]));
}
