import { ObjectId, UUID } from 'mongodb';
import { type FieldError, validationFailed } from '../errors.ts';
import { insertAccess, serverAccess, updateAccess, type WriteRules } from './access.ts';
import type { CompiledModel } from './compile-model.ts';
import { objectIdLeaf, uuidLeaf } from './leaves.ts';
import type { CompiledField } from './node.ts';
import { isObject } from './plain-object.ts';
import { type Changes, compileChanges, type EmbeddedMode } from './plan-changes.ts';
import { absent, compileFieldReader, compileKeyCheck, valueOfUnsent } from './read-value.ts';
import { Report } from './report.ts';

export { insertAccess, updateAccess, type WriteRules };

/**
 * Reads the body of a create, and the values that the server sets, into the document to insert. A field that the server names is the
 * server's, even when its value is undefined: what a client sent for it does not count. Throws `validation_failed` (422) with every error at
 * once; a plain Error (500) where the deployer's own values do not fit, or nobody could set a required field.
 */
export type ReadCreate = (body: unknown, serverFields?: Readonly<Record<string, unknown>>) => Record<string, unknown>;

/** Compiles the reader of create bodies (spec, "Create rules"). */
export function compileCreate(model: CompiledModel, rules: WriteRules = {}): ReadCreate {
  const access = insertAccess(rules);
  const refuseKeys = compileKeyCheck(model.root, access);
  const members = model.root.fields.map((field) => ({
    field,
    isOpen: access.refusal(field) === undefined,
    read: compileFieldReader(field, access),
    readServer: compileFieldReader(field, serverAccess),
  }));
  return function readCreate(body, serverFields = {}) {
    const sent = asBody(body);
    const now = new Date();
    const client = new Report();
    const server = new Report();
    checkServerKeys(model, serverFields);
    refuseKeys(sent, '', client);
    const stored: Record<string, unknown> = {};
    for (const { field, isOpen, read, readServer } of members) {
      const { name } = field;
      const isServers = Object.hasOwn(serverFields, name);
      let value: unknown;
      if (field.maintained) value = field.maintained === 'revision' ? 0 : now;
      else if (isServers && serverFields[name] !== undefined) value = readServer(serverFields[name], name, server);
      else if (!isServers && isOpen && Object.hasOwn(sent, name)) value = read(sent[name], name, client);
      else value = field.key === '_id' ? makeId(field) : valueOfUnsent(field);
      if (value !== undefined && value !== absent) stored[field.key] = value;
      else if (value === undefined && isOpen && !isServers) client.add(name, 'is required');
      else if (value === undefined) server.add(name, 'is required');
    }
    if (client.errors.length > 0) throw validationFailed(client.errors);
    for (const path of client.unset) server.add(path, 'is required, has no default, and clients may not send it');
    if (server.errors.length > 0) throw new Error(`Fields that only the server sets on create: ${describeErrors(server.errors)}`);
    return stored;
  };
}

/** An id that nobody gave: its default, or a new ObjectId or UUID; undefined for other types. */
export function makeId({ makeDefault, node }: CompiledField): unknown {
  if (makeDefault) return makeDefault();
  if (node.kind !== 'leaf') return undefined;
  if (node.leaf === objectIdLeaf) return new ObjectId();
  return node.leaf === uuidLeaf ? new UUID() : undefined;
}

function checkServerKeys(model: CompiledModel, serverFields: Readonly<Record<string, unknown>>): void {
  for (const name of Object.keys(serverFields)) {
    const field = model.root.byName.get(name);
    if (!field || field.maintained)
      throw new Error(`serverFields set \`${name}\`, which is ${field ? 'set by the service itself' : `no field of ${model.name}`}.`);
  }
}

/** Reads the body of a patch or put into the changes that one command makes; throws `validation_failed` (422) with every error at once. */
export type ReadChanges = (body: unknown) => Changes;

/** Compiles the reader of patch bodies (spec, "Patch rules"). */
export function compilePatch(model: CompiledModel, rules: WriteRules = {}): ReadChanges {
  return compileReadChanges(model, rules, rules.mergePatch === false ? 'replace' : 'merge');
}

/** Compiles the reader of put bodies (spec, "Put rules"). */
export function compilePut(model: CompiledModel, rules: WriteRules = {}): ReadChanges {
  return compileReadChanges(model, rules, 'put');
}

function compileReadChanges(model: CompiledModel, rules: WriteRules, mode: EmbeddedMode): ReadChanges {
  const plan = compileChanges(model.root, updateAccess(rules), mode);
  return function readChanges(body) {
    const report = new Report();
    const changes = plan(asBody(body), report);
    if (report.errors.length > 0) throw validationFailed(report.errors);
    return changes;
  };
}

function asBody(body: unknown): Record<string, unknown> {
  if (isObject(body)) return body;
  throw validationFailed([{ field: '', message: 'the body must be a JSON object' }]);
}

function describeErrors(errors: readonly FieldError[]): string {
  return errors.map(({ field, message }) => `\`${field}\` ${message}`).join('; ');
}
