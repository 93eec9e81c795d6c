import { bodyNoObject } from '../../errors.ts';
import type { FieldError } from '../../rules.ts';
import type { ObjectNode } from '../node.ts';
import { absent } from '../node.ts';
import { isObject } from '../value/plain-object.ts';
import { setByService, storeAccess } from './access.ts';
import { compileCheck } from './check.ts';
import { compileWholeCheck } from './check-whole.ts';
import { makeId } from './compile-writes.ts';
import { type Changes, compileChanges } from './plan-changes.ts';
import { compileFieldReader, compileKeyCheck, initialValue, isRequiredButMissing, valueOfUnsent } from './read-value.ts';
import { refuseInvalid } from './refuse-invalid.ts';
import { Report } from './report.ts';

/** The members of a compiled model that the readers of documents need. */
interface WritableModel {
  readonly name: string;
  readonly root: ObjectNode;
}

/** Reads a new record. `named` has the id if it stands beside the document, which must have none then. */
type ReadNewDocument = (document: unknown, named?: { readonly id: unknown }) => Record<string, unknown>;

/**
 * Compiles the reader of a new record that the application's own code creates: from document form to stored form, with
 * id, defaults, revision and timestamps. A member that is undefined counts as left out. Throws as {@link refuseInvalid}
 * does.
 */
export function compileNewDocument(model: WritableModel): ReadNewDocument {
  const { root } = model;
  const access = storeAccess({ existing: false });
  const refuseKeys = compileKeyCheck(root, access);
  const runCheck = compileCheck(root);
  const members = root.fields.map((field) => ({ field, read: compileFieldReader(field, access) }));
  return function readNewDocument(document, named) {
    const given = asGiven(document);
    const report = new Report();
    const now = new Date();
    if (named && Object.hasOwn(given, 'id')) report.add('id', setByService);
    refuseKeys(given, '', report);
    const stored: Record<string, unknown> = {};
    for (const { field, read } of members) {
      let value: unknown;
      if (field.maintained) value = initialValue(field, now);
      else if (named && field.isId) value = read(named.id, field.name, report);
      else if (Object.hasOwn(given, field.name)) value = read(given[field.name], field.name, report);
      else value = field.isId ? makeId(field) : valueOfUnsent(field);
      if (value === undefined) report.add(field.name, isRequiredButMissing);
      else if (value !== absent) stored[field.key] = value;
    }
    if (report.size === 0) runCheck?.(stored, '', report);
    refuse(report.errors, model, given, 'created');
    return stored;
  };
}

/**
 * Compiles the reader of changes that the application's own code makes: a merge patch (RFC 7396) in document form. A
 * member that is undefined counts as left out. Throws as {@link refuseInvalid} does.
 */
export function compileDocumentChanges(model: WritableModel): (changes: unknown) => Changes {
  const { root } = model;
  const access = storeAccess({ existing: true });
  const plan = compileChanges(root, access, 'merge');
  const checkWhole = compileWholeCheck(root);
  return function readDocumentChanges(changes) {
    const given = asGiven(changes);
    const report = new Report();
    const planned = plan(given, report);
    if (report.size === 0) checkWhole?.(planned, report);
    refuse(report.errors, model, given, 'updated');
    return planned;
  };
}

/** As in the routes, a key that is no field is 422. */
function refuse(errors: readonly FieldError[], model: WritableModel, given: unknown, what: 'created' | 'updated'): void {
  refuseInvalid(errors, model, given, `A record of ${model.name} cannot be ${what}`, { mayHaveClientKeys: true });
}

function asGiven(document: unknown): Record<string, unknown> {
  if (!isObject(document)) throw bodyNoObject();
  return withoutUndefined(document) as Record<string, unknown>;
}

/** A copy without members that are undefined, in plain objects at any depth. */
function withoutUndefined(value: unknown): unknown {
  if (!isObject(value)) return value;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    const member = withoutUndefined(value[key]);
    if (member === undefined) continue;
    if (key !== '__proto__') copy[key] = member;
    else Object.defineProperty(copy, key, { value: member, enumerable: true, writable: true, configurable: true }); // an ordinary member
  }
  return copy;
}
