import { ObjectId, UUID } from 'mongodb';
import { bodyNoObject, validationFailed } from '../../errors.ts';
import { Invalid } from '../../rules.ts';
import { absent, type CompiledField, type ObjectNode } from '../node.ts';
import { objectIdLeaf, uuidLeaf } from '../value/leaves.ts';
import { definedOf, isObject } from '../value/plain-object.ts';
import {
  type Access,
  holdsClosedValues,
  holdsProtectedValues,
  insertAccess,
  patchAccess,
  serverAccess,
  updateAccess,
  type WriteRules,
} from './access.ts';
import { compileBlindWrite } from './blind-write.ts';
import { collectChecks, compileCheck, ownFields } from './check.ts';
import { compileWholeCheck } from './check-whole.ts';
import { type Changes, compileChanges, type EmbeddedMode, type StoredCheck } from './plan-changes.ts';
import { compileFieldReader, compileKeyCheck, initialValue, isRequiredButMissing, valueOfUnsent } from './read-value.ts';
import { describeErrors } from './refuse-invalid.ts';
import { Report } from './report.ts';

export type { WriteRules };

/** The members of a compiled model that the readers of bodies need. */
interface WritableModel {
  readonly name: string;
  readonly root: ObjectNode;
}

/** Values that the server sets, in document form, by the names of their fields. */
type ServerValues = Readonly<Record<string, unknown>>;

/**
 * Reads the body of a create and the server fields into the stored form of a new record. A key of the server fields
 * overrides the client's value, even if it is undefined. Throws `validation_failed` (422) with all errors of the body.
 * Throws a plain Error (500) if a server field is not valid, or if a required field that clients may not send is
 * missing. With `missing`, such a field is no error: its path is added there, and the check of the record does not run.
 */
export type ReadCreate = (body: unknown, serverFields?: ServerValues, missing?: string[]) => Record<string, unknown>;

const neverSent = new Invalid('required', 'is required, has no default, and clients may not send it');

/** Compiles the reader of create bodies. */
export function compileCreate(model: WritableModel, rules: WriteRules = {}): ReadCreate {
  const access = insertAccess(rules);
  const refuseKeys = compileKeyCheck(model.root, access);
  const runCheck = compileCheck(model.root, access);
  const members = model.root.fields.map((field) => ({
    field,
    isOpen: access.refusal(field) === undefined,
    read: compileFieldReader(field, access),
    readServer: compileFieldReader(field, serverAccess),
  }));
  return function readCreate(body, serverFields = {}, missing) {
    const sent = asBody(body);
    const now = new Date();
    const client = new Report();
    const server = new Report();
    checkServerKeys(model, serverFields, (field) => field.maintained !== undefined);
    refuseKeys(sent, '', client);
    const unset: string[] = [];
    const stored: Record<string, unknown> = {};
    for (const { field, isOpen, read, readServer } of members) {
      const { name } = field;
      const isServerField = Object.hasOwn(serverFields, name);
      let value: unknown;
      if (field.maintained) value = initialValue(field, now);
      else if (isServerField && serverFields[name] !== undefined) value = readServer(serverFields[name], name, server);
      else if (!isServerField && isOpen && Object.hasOwn(sent, name)) value = read(sent[name], name, client);
      else value = field.isId ? makeId(field) : valueOfUnsent(field);
      if (value !== undefined && value !== absent) stored[field.key] = value;
      else if (value === undefined && isOpen && !isServerField) client.add(name, isRequiredButMissing);
      else if (value === undefined) unset.push(name);
    }
    if (client.size + server.size + unset.length === 0) runCheck?.(stored, '', client);
    if (client.errors.length > 0) throw validationFailed(client.errors);
    if (missing) missing.push(...unset, ...client.unset);
    else {
      for (const path of unset) server.add(path, isRequiredButMissing);
      for (const path of client.unset) server.add(path, neverSent);
    }
    refuseServerValues('create', server);
    return stored;
  };
}

/**
 * Makes the id of a record that was created without one: its default, or a new ObjectId or UUID. Undefined for other
 * types.
 */
export function makeId({ makeDefault, node }: CompiledField): unknown {
  if (makeDefault) return makeDefault();
  if (node.kind !== 'leaf') return undefined;
  if (node.leaf === objectIdLeaf) return new ObjectId();
  return node.leaf.name === uuidLeaf.name ? node.leaf.fromDocument(new UUID()) : undefined;
}

function checkServerKeys(model: WritableModel, values: ServerValues, isClosed: (field: CompiledField) => boolean): void {
  for (const name of Object.keys(values)) {
    const field = model.root.byName.get(name);
    if (!field || isClosed(field))
      throw new Error(`serverFields set \`${name}\`, which is ${field ? 'set by the service itself' : `not a field of ${model.name}`}.`);
  }
}

function checkUpdated(model: WritableModel, values: ServerValues): void {
  checkServerKeys(model, values, (field) => field.maintained !== undefined || field.isId);
}

function refuseServerValues(operation: 'create' | 'update', { errors }: Report): void {
  if (errors.length > 0) throw new Error(`Fields that only the server sets on ${operation}: ${describeErrors(errors)}`);
}

/**
 * Reads the body of a patch or put into the changes that one command makes. Throws `validation_failed` (422) with all
 * errors. The server fields override what the client sends, even if they are undefined: that writes nothing. They are
 * written only if the body changes anything else. Throws a plain Error (500) if one of them is not valid.
 */
export type ReadChanges = (body: unknown, serverFields?: ServerValues) => Changes;

/** Compiles the reader of patch bodies. */
export function compilePatch(model: WritableModel, rules: WriteRules = {}): ReadChanges {
  return compileReadChanges(model, rules, rules.mergePatch === false ? 'replace' : 'merge');
}

/** Compiles the reader of put bodies. */
export function compilePut(model: WritableModel, rules: WriteRules = {}): ReadChanges {
  return compileReadChanges(model, rules, 'put');
}

function compileReadChanges(model: WritableModel, rules: WriteRules, mode: EmbeddedMode): ReadChanges {
  const access = mode === 'put' ? updateAccess(rules) : patchAccess(rules);
  const plan = compileChanges(model.root, access, mode);
  const readServer = compileServerChanges(model);
  const isClosed = holdsClosedValues(ownFields(model.root), access);
  const checkWhole = compileWholeCheck(model.root, access);
  const storedCheck = compileStoredCheck(model, access, mode);
  const findBlind = compileBlindWrite(model.root, access);

  function addServer(changes: Changes, values: ServerValues): Changes {
    checkUpdated(model, values);
    if (changes.assignments.length === 0 && !changes.embedded.some(({ whole }) => whole !== undefined)) return changes;
    return { ...changes, assignments: [...changes.assignments, ...readServer(values).assignments] };
  }

  return function readChanges(body, serverFields) {
    const report = new Report();
    const sent = plan(asBody(body), report, serverFields);
    const planned = serverFields && report.size === 0 ? addServer(sent, serverFields) : sent;
    const blind = findBlind?.(sent);
    const changes = blind ? { ...planned, blind } : planned;
    if (report.size === 0 && !(storedCheck && mode === 'put') && (serverFields || !isClosed)) checkWhole?.(changes, report);
    if (report.errors.length > 0) throw validationFailed(report.errors);
    return storedCheck && (mode === 'put' || changes.embedded.length > 0) ? { ...changes, storedCheck } : changes;
  };
}

/**
 * Compiles the reader of the values that the server sets on update. Throws a plain Error (500) if one of them is not
 * valid.
 */
export function compileServerChanges(model: WritableModel): (values: ServerValues) => Changes {
  const plan = compileChanges(model.root, serverAccess, 'replace');
  return function readServerChanges(values) {
    checkUpdated(model, values);
    const report = new Report();
    const changes = plan(definedOf(values), report);
    refuseServerValues('update', report);
    return changes;
  };
}

/**
 * The checks of a write that replaces objects and keeps values in them which the client may not write: they need the
 * stored record. Undefined if the body has everything that they look at.
 */
function compileStoredCheck(model: WritableModel, access: Access, mode: EmbeddedMode): StoredCheck | undefined {
  if (mode === 'merge') return undefined;
  const own = ownFields(model.root);
  const kept = own.fields.filter((field) => access.protects(field) || holdsProtectedValues(field.node, access));
  const replaced = mode === 'put' && own.check ? own : { ...own, check: undefined, fields: kept };
  const checks = collectChecks(replaced, access);
  if (kept.length === 0 || checks.size === 0) return undefined;
  return { dependsOn: kept.map((field) => field.key), checks };
}

function asBody(body: unknown): Record<string, unknown> {
  if (isObject(body)) return body;
  throw bodyNoObject();
}
