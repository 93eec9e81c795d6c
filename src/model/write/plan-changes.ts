import { type FieldError, Invalid } from '../../rules.ts';
import { type CompiledField, join, type ObjectNode } from '../node.ts';
import { isObject } from '../value/plain-object.ts';
import { type Access, holdsClosedValues } from './access.ts';
import type { RunCheck } from './check.ts';
import { compileFieldReader, compileKeyCheck, compileObjectReader, isRequiredButMissing, notObject, valueOfUnsent } from './read-value.ts';
import { Report } from './report.ts';

/** A stored path and the value it takes; `absent` removes the key. */
export interface Assignment {
  readonly path: string;
  readonly value: unknown;
}

/**
 * An embedded object that keys are written into, and what happens when the record has none there: it is created, or the write is refused.
 */
export interface EmbeddedMerge {
  readonly path: string;
  /** The object that is created, complete with defaults; undefined when the body does not suffice to create one. */
  readonly whole: unknown;
  /** What the client is told where it cannot be created; nothing where another object around it or in it says so. */
  readonly refused: readonly FieldError[];
}

/** Checks that see stored values: they run on the record as the write would leave it, before it is written. */
export interface StoredCheck {
  /** The stored keys that hold values which the client may not write: the write must find them as they were checked. */
  readonly dependsOn: readonly string[];
  /** By the dotted path of the object that each is about; `''` is the record. */
  readonly checks: ReadonlyMap<string, RunCheck>;
}

/** What a patch or put changes in a stored record: the plan that one atomic command carries out. */
export interface Changes {
  readonly assignments: readonly Assignment[];
  /** Outermost first. */
  readonly embedded: readonly EmbeddedMerge[];
  /** Only for a put around closed values of a model with checks. */
  readonly storedCheck?: StoredCheck;
}

/** Reads the body of a patch or put into a plan; what is wrong with it goes into the report. */
export type PlanChanges = (body: unknown, report: Report) => Changes;

/**
 * How an embedded object is written:
 * `merge` key by key, unsent keys stay (RFC 7396); `replace` whole, unsent keys return to their defaults; `put` whole, but key by key
 * around values that the client may not write.
 */
export type EmbeddedMode = 'merge' | 'replace' | 'put';

interface Draft {
  readonly assignments: Assignment[];
  readonly embedded: EmbeddedMerge[];
}

/** Plans one field: `sent` is its value in the body. */
type PlanField = (sent: unknown, path: string, draft: Draft, report: Report) => void;

/** Compiles a body's plan for a whole record. */
export function compileChanges(root: ObjectNode, access: Access, mode: EmbeddedMode): PlanChanges {
  const plan = compileObjectPlan(root, access, mode);
  return function planChanges(body, report) {
    const draft: Draft = { assignments: [], embedded: [] };
    plan(body, '', draft, report);
    return draft;
  };
}

function compileObjectPlan(node: ObjectNode, access: Access, mode: EmbeddedMode): PlanField {
  const refuseKeys = compileKeyCheck(node, access);
  const members = node.fields
    .filter((field) => access.refusal(field) === undefined)
    .map((field) => ({
      field,
      plan: compileFieldPlan(field, access, mode),
      planUnsent: mode === 'put' ? compileUnsentPlan(field, access) : undefined,
    }));
  return function planObject(sent, path, draft, report) {
    if (!isObject(sent)) return report.add(path, notObject);
    refuseKeys(sent, path, report);
    for (const { field, plan, planUnsent } of members) {
      const at = join(path, field.name);
      if (Object.hasOwn(sent, field.name)) plan(sent[field.name], at, draft, report);
      else planUnsent?.(undefined, at, draft, report);
    }
  };
}

function compileFieldPlan(field: CompiledField, access: Access, mode: EmbeddedMode): PlanField {
  const { node } = field;
  const isByKey = mode === 'merge' || (mode === 'put' && holdsClosedValues(node, access));
  if (node.kind === 'object' && isByKey) return compileEmbeddedPlan(field, node, access, mode);
  const read = compileFieldReader(field, access);
  return function planAssignment(sent, path, draft, report) {
    draft.assignments.push({ path, value: read(sent, path, report) });
  };
}

/** Writes an embedded object key by key, and tells what to do where the record has none. */
function compileEmbeddedPlan(field: CompiledField, node: ObjectNode, access: Access, mode: EmbeddedMode): PlanField {
  const readNull = compileFieldReader(field, access);
  const planKeys = compileObjectPlan(node, access, mode);
  const readWhole = compileObjectReader(node, { ...access, incompleteObjects: true, defersChecks: mode === 'put' });
  return function planEmbedded(sent, path, draft, report) {
    if (sent === null) {
      draft.assignments.push({ path, value: readNull(null, path, report) });
      return;
    }
    const creation = new Report(report);
    const whole = readWhole(sent, path, creation);
    draft.embedded.push({ path, whole: creation.size === 0 ? whole : undefined, refused: whyNotCreated(path, creation) });
    const before = report.size;
    planKeys(sent, path, draft, report);
    // What is wrong with the keys is reported by now; what is left are checks, and they count at once where no stored value has a say.
    if (report.size === before && coversWhole(node, sent)) for (const error of creation.refusals) report.refuse(error);
  };
}

/** What the body leaves out of a new object, or what the checks of the new object say against it. */
function whyNotCreated(path: string, { incomplete, refusals }: Report): readonly FieldError[] {
  const lacking = incomplete.find((one) => one.path === path);
  if (!lacking) return refusals;
  const { keys: missing } = lacking;
  if (missing.length === 0) return [onlyByServer.at(path)];
  return [new Invalid('incomplete', `does not exist yet; to create it, send also ${missing.join(', ')}`, { missing }).at(path)];
}

/** It lacks what no client may send. Which keys those are is not said: they may be private. */
export const onlyByServer = new Invalid(
  'server_only',
  'does not exist yet, and only the server can create it: it holds required values that clients may not send',
);

/** Whether a body names every field of an object, at any depth: what is stored then is what was sent. */
export function coversWhole(node: ObjectNode, sent: unknown): boolean {
  if (!isObject(sent)) return false;
  return node.fields.every((field) => {
    if (!Object.hasOwn(sent, field.name)) return false;
    const value = sent[field.name];
    return field.node.kind !== 'object' || value === null || coversWhole(field.node, value);
  });
}

/** PUT: a writable field left out returns to its default; one that holds closed values stays as it is; a required one must be sent. */
function compileUnsentPlan(field: CompiledField, access: Access): PlanField | undefined {
  if (holdsClosedValues(field.node, access)) return undefined;
  return function planUnsent(_sent, path, draft, report) {
    const value = valueOfUnsent(field);
    if (value === undefined) report.add(path, isRequiredButMissing);
    else draft.assignments.push({ path, value });
  };
}
