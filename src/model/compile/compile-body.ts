import { bodyNoObject, ConfigurationError, validationFailed } from '../../errors.ts';
import { adoptSchema } from '../define/adopt-schema.ts';
import type { AnySchema } from '../define/schema.ts';
import type { ObjectNode } from '../node.ts';
import { compileHydrate } from '../read/hydrate.ts';
import { isObject } from '../value/plain-object.ts';
import { insertAccess } from '../write/access.ts';
import { compileObjectReader } from '../write/read-value.ts';
import { Report } from '../write/report.ts';
import { compileObject } from './compile-schema.ts';
import { readRules } from './field-rules.ts';

/** The compiled schema of a request body that is not a record of a model. */
export interface CompiledBody {
  readonly node: ObjectNode;
  /** Converts a parsed body to document form. Throws `validation_failed` (422) with all errors. */
  read(body: unknown): unknown;
}

/**
 * Compiles an object schema into the reader of a body. Types, defaults and constraints apply as in a create, and
 * unknown keys are refused. Throws a {@link ConfigurationError} that names the field.
 */
export function compileBody(given: AnySchema): CompiledBody {
  const schema = adoptSchema(given, 'body');
  if (schema.type !== 'object' || !isObject(schema.properties)) {
    throw new ConfigurationError(
      "`schema` of `jsonBody` must describe an object: `t.object('Name', { … })`, or a JSON Schema with `properties`, or an object of another schema library.",
    );
  }
  const node = compileObject(schema, 'body');
  const [rule] = readRules(node);
  if (rule !== undefined)
    throw new ConfigurationError(
      `The schema of a body has a field that only callers with the rule \`${rule}\` read, and its description and its errors would name the field to all of them: leave it out.`,
    );
  const readObject = compileObjectReader(node, insertAccess({}));
  const hydrate = compileHydrate(node);
  return {
    node,
    read(body) {
      if (!isObject(body)) throw bodyNoObject();
      const report = new Report();
      const stored = readObject(body, '', report);
      if (report.errors.length > 0) throw validationFailed(report.errors);
      if (report.unset.length > 0)
        throw new Error(`The schema of the body requires fields that clients may not send: ${report.unset.join(', ')}.`);
      return hydrate(stored);
    },
  };
}
