import { ConfigurationError } from '../../errors.ts';
import { describeReaders } from '../../model/define/own-keywords.ts';
import type { CompiledField, Node } from '../../model/node.ts';
import { compileObjectWriter } from '../../model/read/write-json.ts';
import { type Access, serverAccess } from '../../model/write/access.ts';
import { compileFieldReader } from '../../model/write/read-value.ts';
import { Report } from '../../model/write/report.ts';
import type { Schema } from '../document.ts';

/**
 * Adds a field's annotations: title, description, deprecated, and the examples that fit the schema. An answer shows an
 * example as the service would write it. A body shows it only if its reader accepts it.
 */
export function annotate(schema: Schema, field: CompiledField, access: Access | 'read'): Schema {
  const { examples: given, ...own } = field.annotations;
  const annotations = { ...own, ...describeRules(field, access, own.description) };
  if (!Array.isArray(given)) return { ...schema, ...annotations };
  const examples =
    access === 'read' ? given.map((example) => asRead(field, example)) : given.filter((example) => isSendable(field, example, access));
  return { ...schema, ...annotations, ...(examples.length > 0 ? { examples } : {}) };
}

/** Says which callers have the field, if not all of them. */
function describeRules({ rules }: CompiledField, access: Access | 'read', own: unknown): Schema {
  const write = access === 'read' ? undefined : access.existing ? rules?.update : rules?.insert;
  if (!rules?.read && !write) return {};
  const sentences = [
    ...(typeof own === 'string' ? [own] : []),
    ...(rules?.read ? [describeReaders(rules.read)] : []),
    ...(write ? [`Only callers with the rule ${inWords(write)} may set it.`] : []),
  ];
  return { description: sentences.join(' '), ...(rules?.read ? { 'x-visible-to': rules.read } : {}) };
}

function inWords(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(' or ');
}

/** The JSON that a client reads if this value is stored. */
function asRead(field: CompiledField, example: unknown): unknown {
  const report = new Report();
  const stored = compileFieldReader(field, { ...serverAccess, source: 'json' })(example, field.name, report);
  const [error] = report.errors;
  if (error) throw new ConfigurationError(`\`examples\` of \`${field.name}\` do not fit: \`${error.field}\` ${error.message}.`);
  if (typeof stored === 'bigint') return stored;
  const alone = { kind: 'object', name: undefined, fields: [field], byName: new Map([[field.name, field]]) } as const;
  const shown = JSON.parse(compileObjectWriter(alone).write({ [field.key]: stored })) as Record<string, unknown>;
  return shown[field.name];
}

/** An example of an object is shown in answers only: in a body it could name fields that this client may not write. */
function isSendable(field: CompiledField, example: unknown, access: Access): boolean {
  if (holdsObject(field.node)) return false;
  const report = new Report();
  compileFieldReader(field, access)(example, '', report);
  return report.errors.length === 0;
}

function holdsObject(node: Node): boolean {
  if (node.kind === 'array') return holdsObject(node.items.node);
  if (node.kind === 'map') return holdsObject(node.values.node);
  return node.kind === 'object';
}
