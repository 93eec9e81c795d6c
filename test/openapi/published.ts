import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { parseJson, stringifyJson } from '../../src/http/json.ts';
import type { OpenapiDocument } from '../../src/index.ts';
import { Problem } from '../../src/index.ts';
import type { Any } from '../support/any.ts';

/** Whether a value fits a schema. */
export type Fits = (value: unknown) => boolean;

interface Validator {
  readonly ajv: Ajv2020;
  /** What is compiled already, by its text: many parts of a document have the same schema. */
  readonly compiled: Map<string, Fits>;
}

/**
 * A validator as a client may have it: strict, and made from the published text. One for each document, because it
 * costs to make.
 */
const validators = new WeakMap<OpenapiDocument, Validator>();

function validatorOf(document: OpenapiDocument): Validator {
  const known = validators.get(document);
  if (known) return known;
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true, allErrors: true });
  ajv.addKeyword('x-visible-to'); // our own: who reads a field
  ajv.addKeyword('x-merge'); // and of which map a patch merges the keys
  formats.default(ajv);
  ajv.addFormat('decimal', true);
  ajv.addSchema({ $id: 'document', $defs: JSON.parse(publish(document.components.schemas)) });
  const validator = { ajv, compiled: new Map() };
  validators.set(document, validator);
  return validator;
}

function publish(part: unknown): string {
  return stringifyJson(part).replaceAll('#/components/schemas/', 'document#/$defs/');
}

/** Compiles a schema of a document. */
export function compileSchema(document: OpenapiDocument, schema: unknown): Fits {
  const { ajv, compiled } = validatorOf(document);
  const text = publish(schema);
  const known = compiled.get(text);
  if (known) return known;
  const validate = ajv.compile(JSON.parse(text));
  const fits: Fits = (value) => validate(JSON.parse(JSON.stringify(value)));
  compiled.set(text, fits);
  return fits;
}

/** The published schema of that name. */
export function compileNamed(document: OpenapiDocument, name: string): Fits {
  if (!(name in (document.components.schemas ?? {}))) throw new Error(`No schema is called ${name}.`);
  return compileSchema(document, { $ref: `#/components/schemas/${name}` });
}

/** Whether a reader of bodies accepts a value, read as it would arrive. */
export function isAccepted(read: (body: unknown) => unknown, value: unknown): boolean {
  try {
    read(parseJson(JSON.stringify(value)));
    return true;
  } catch (error) {
    if (error instanceof Problem && error.code === 'validation_failed') return false;
    throw error;
  }
}

/** The schema of that name, for a look at its parts. */
export function schemaOf(document: OpenapiDocument, name: string): Record<string, Any> {
  const schema = document.components.schemas?.[name];
  if (!schema) throw new Error(`No schema is called ${name}: there are ${Object.keys(document.components.schemas ?? {}).join(', ')}.`);
  return schema;
}
