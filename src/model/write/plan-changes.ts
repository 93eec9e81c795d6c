import { type CompiledField, type FieldPath, type ObjectNode, pathIn, recordPath } from '../node.ts';
import { isObject } from '../value/plain-object.ts';
import { type Access, accessWithin, holdsProtectedValues, mustBeSent } from './access.ts';
import type { CheckAt } from './check.ts';
import { type Creation, creationOf, isJudged } from './creation.ts';
import { compileMemberMerge } from './plan-keys.ts';
import {
  compileFieldReader,
  compileKeyCheck,
  compileObjectReader,
  isRequiredButMissing,
  notObject,
  unreplaceable,
  valueOfUnsent,
} from './read-value.ts';
import { Report } from './report.ts';

/**
 * A dotted path of stored keys, and its new value in stored form. `absent` removes the key, and a `KeyMerge` writes
 * keys into the map that is stored there.
 */
export interface Assignment {
  readonly path: string;
  readonly value: unknown;
}

/**
 * An embedded object into which keys are written. If the record has no object there, the object is created, or the
 * write is refused.
 */
export interface EmbeddedMerge extends Creation {
  readonly path: string;
}

/** Checks that need stored values. They run before the write, on the record as the write would leave it. */
export interface StoredCheck {
  /**
   * The stored keys with values that the client may not write. The write applies only if these values are still as they
   * were checked.
   */
  readonly dependsOn: readonly string[];
  /** The checks by the path of the stored keys of their object. The record has the path `''`. */
  readonly checks: ReadonlyMap<string, CheckAt>;
}

/** What a client writes and may not read. */
export interface BlindWrite {
  /**
   * The dotted names of the fields that it writes: those that others may read, without steps for the items of arrays
   * and the keys of maps. A field that no client may read is left out.
   */
  readonly names: readonly string[];
}

/** The changes of a patch or put: the plan of one atomic command. */
export interface Changes {
  readonly assignments: readonly Assignment[];
  /** Outer objects come before the objects inside them. */
  readonly embedded: readonly EmbeddedMerge[];
  /** Only for a put that keeps closed values, on a model with checks. */
  readonly storedCheck?: StoredCheck;
  /**
   * What the client writes and may not read. Such a write counts whether or not it changes a value: otherwise the
   * client could test what is stored.
   */
  readonly blind?: BlindWrite;
}

/**
 * Reads the body of a patch or put into a plan, and adds its errors to the report. `except` has the names of fields of
 * the record that are not read, because the server sets them.
 */
export type PlanChanges = (body: unknown, report: Report, except?: Readonly<Record<string, unknown>>) => Changes;

/**
 * How an embedded object is written. `merge` writes the keys that were sent (RFC 7396). `replace` writes the whole
 * object: unsent keys return to their defaults. `put` does so too with the record itself. Both keep the values that are
 * protected from the client.
 */
export type EmbeddedMode = 'merge' | 'replace' | 'put';

/** A plan that is being made. */
export interface PlannedChanges {
  readonly assignments: Assignment[];
  readonly embedded: EmbeddedMerge[];
}

/** Plans the write of the value at one place. `sent` is the value in the body. */
export type PlanField = (sent: unknown, draft: PlannedChanges, report: Report) => void;
type PlanObject = (...given: [...Parameters<PlanField>, except?: Readonly<Record<string, unknown>> | undefined]) => void;

/** Compiles the reader of bodies into plans for a record. */
export function compileChanges(root: ObjectNode, access: Access, mode: EmbeddedMode): PlanChanges {
  const plan = compileObjectPlan(root, recordPath, access, mode);
  return function planChanges(body, report, except) {
    const draft: PlannedChanges = { assignments: [], embedded: [] };
    plan(body, draft, report, except);
    return draft;
  };
}

function compileObjectPlan(node: ObjectNode, at: FieldPath, access: Access, mode: EmbeddedMode): PlanObject {
  const refuseKeys = compileKeyCheck(node, access);
  const members = node.fields
    .filter((field) => access.refusal(field) === undefined || (mode === 'put' && !access.protects(field)))
    .map((field) => ({
      field,
      plan: compileFieldPlan(field, pathIn(at, field), access, mode),
      planUnsent: compileUnsentPlan(field, at, access, mode),
    }));
  return function planObject(sent, draft, report, except) {
    if (!isObject(sent)) return report.add(at.name, notObject);
    refuseKeys(sent, at.name, report);
    for (const { field, plan, planUnsent } of members) {
      if (except && Object.hasOwn(except, field.name)) continue;
      if (Object.hasOwn(sent, field.name)) plan(sent[field.name], draft, report);
      else planUnsent?.(undefined, draft, report);
    }
  };
}

/** Compiles the plan of one field: by its keys, or of the value as a whole. */
export function compileFieldPlan(field: CompiledField, at: FieldPath, outer: Access, mode: EmbeddedMode): PlanField {
  const { node } = field;
  const access = accessWithin(field, outer);
  const isByKey = mode === 'merge' || holdsProtectedValues(node, access);
  if (node.kind === 'object' && isByKey) return compileEmbeddedPlan(field, node, at, access, mode);
  const read = mode === 'merge' ? compileMemberMerge(field, access) : compileFieldReader(field, access);
  const { name, path } = at;
  return function planAssignment(sent, draft, report) {
    draft.assignments.push({ path, value: read(sent, name, report) });
  };
}

/** Plans the write of an embedded object key by key, and its creation if the record has none. */
function compileEmbeddedPlan(field: CompiledField, node: ObjectNode, at: FieldPath, access: Access, mode: EmbeddedMode): PlanField {
  const { name, path } = at;
  const readNull = compileFieldReader(field, access);
  const planKeys = compileObjectPlan(node, at, access, mode === 'merge' ? 'merge' : 'put'); // without the keys that were left out
  const readWhole = compileObjectReader(node, {
    ...access,
    incompleteObjects: true,
    mergesMaps: mode === 'merge',
    defersChecks: mode !== 'merge' && !access.isBlind,
  });
  return function planEmbedded(sent, draft, report) {
    if (sent === null) {
      draft.assignments.push({ path, value: readNull(null, name, report) });
      return;
    }
    const creation = new Report(report);
    const whole = readWhole(sent, name, creation);
    draft.embedded.push({ path, ...creationOf(name, whole, creation, access) });
    const sizeBefore = report.size;
    planKeys(sent, draft, report);
    if (report.size === sizeBefore && isJudged(node, sent, access)) for (const error of creation.refusals) report.refuse(error);
  };
}

/**
 * Plans a field that the body leaves out. In a put it returns to its default, and is an error if it is required; one
 * that holds protected values stays as it is, and has no plan. In an object that the client may not read, what is
 * required must be sent: whether the object has it already would tell the client that there is one.
 */
function compileUnsentPlan(field: CompiledField, parent: FieldPath, access: Access, mode: EmbeddedMode): PlanField | undefined {
  const { name, path } = pathIn(parent, field);
  if (mustBeSent(field, access)) return (_sent, _draft, report) => report.add(name, isRequiredButMissing);
  if (mode !== 'put' || holdsProtectedValues(field.node, access)) return undefined;
  const isClosed = access.refusal(field) !== undefined;
  return function planUnsent(_sent, draft, report) {
    const value = valueOfUnsent(field);
    if (value !== undefined) draft.assignments.push({ path, value });
    else if (isClosed) report.add(parent.name, unreplaceable);
    else report.add(name, isRequiredButMissing);
  };
}
