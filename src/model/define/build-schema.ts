import { ConfigurationError } from '../../errors.ts';
import { isObject } from '../value/plain-object.ts';
import { isOptional, markOptional } from './optional.ts';
import type { GivenSchema } from './raw-schema.ts';

/** A schema as a field. The types of a field exist only for the compiler: this is the one place that asserts them. */
export function build<F>(schema: GivenSchema): F {
  return schema as F;
}

/** The options of a builder. */
export function open(options: unknown): GivenSchema {
  return (options ?? {}) as GivenSchema;
}

/** Refuses a default for a field that the service sets. */
export function withoutDefault(name: string, options: unknown): GivenSchema {
  if ('default' in open(options)) throw new ConfigurationError(`\`t.${name}\` takes no \`default\`, because the service sets the field.`);
  return open(options);
}

/** The schema of a time that the service sets. */
export function maintainedDate(marker: 'createdAt' | 'updatedAt' | 'deletedAt', options: unknown): GivenSchema {
  return { type: 'string', format: 'date-time', ...withoutDefault(marker, options), bsonType: 'date', maintained: marker };
}

/** Copies a schema and overrides its keywords with those of a wrapper. The two policies are merged. */
export function extend(field: unknown, { policy, ...keywords }: GivenSchema): GivenSchema {
  const schema = isOptional(field) ? markOptional(open(field)) : open(field);
  const extended = { ...schema, ...keywords };
  return policy === undefined ? extended : { ...extended, policy: { ...open(schema.policy), ...open(policy) } };
}

/** The schema of an object. Fields that may be absent are not required. */
export function objectSchema(fields: unknown, options: GivenSchema): GivenSchema {
  const required = isObject(fields) ? Object.keys(fields).filter((name) => !isOptional(fields[name])) : [];
  return { type: 'object', required, properties: fields, ...options };
}
