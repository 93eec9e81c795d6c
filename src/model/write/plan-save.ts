import { absent, type CompiledField, type FieldPath, join, type ObjectNode, pathIn, recordPath } from '../node.ts';
import { compileItemHydrate } from '../read/hydrate.ts';
import { compileShownValue } from '../shown-value.ts';
import { isObject, own } from '../value/plain-object.ts';
import { isSameValue } from '../value/same-value.ts';
import { compileMemberRead, isStoredObject } from '../value/stored-shape.ts';
import { serverAccess } from './access.ts';
import { compileCheck, ownFields } from './check.ts';
import type { Assignment } from './plan-changes.ts';
import { compileFieldReader, isRequiredButMissing, valueOfUnsent } from './read-value.ts';
import { refuseInvalid } from './refuse-invalid.ts';
import { Report } from './report.ts';
import type { Subject } from './subject.ts';

/** The write of a saved record: only what its handler changed. */
export interface SavePlan {
  /**
   * The stored paths of changed values, which may be inside embedded objects. A changed array or map is written whole.
   */
  readonly assignments: readonly Assignment[];
  /**
   * The values that were stored at the same paths. For a model without a revision, also all other values that a check
   * has seen.
   */
  readonly before: readonly Assignment[];
  /** The embedded objects into which keys are written. They must still exist when the write applies. */
  readonly within: readonly string[];
}

/** Compares a document, as its handler left it, with the stored record from which it was loaded. */
export type PlanSave = (document: unknown, stored: Readonly<Record<string, unknown>>) => SavePlan;

/** The members of a compiled model that saving needs. */
interface SavedModel {
  readonly name: string;
  readonly root: ObjectNode;
  readonly revision: CompiledField | undefined;
  hydrate(stored: unknown): unknown;
}

/** The findings so far, while a document is compared with the stored record. */
export interface SaveDraft {
  readonly assignments: Assignment[];
  readonly before: Assignment[];
  readonly within: string[];
  /** Mistakes of the handler or hook that are independent of a value, as sentences. */
  readonly mistakes: string[];
  readonly report: Report;
}

/** An object in document or in stored form. */
export type Members = Readonly<Record<string, unknown>>;
/** Adds the changes of an object to the draft. Returns the object in stored form, as it will be after the write. */
export type PlanObject = (document: Members, before: Members, stored: Members, draft: SaveDraft) => Members;

/**
 * Compiles the plan of `ctx.save`. Only changed values are validated, and only the checks of changed objects run; the
 * record is such an object too. The policy does not apply, because it is about clients.
 *
 * The plan throws as {@link refuseInvalid} does for invalid values, and a plain Error (500) for a key that is not a
 * field or that the service itself sets.
 */
export function compilePlanSave(model: SavedModel): PlanSave {
  const { root, hydrate, name, revision } = model;
  const planObject = compileObjectPlan(root, recordPath, revision === undefined);
  return function planSave(document, stored) {
    const draft = emptyDraft();
    planObject(document as Members, hydrate(stored) as Members, stored, draft);
    refuseMistakes(model, document, draft, `A record of ${name} cannot be saved`);
    return draft;
  };
}

/** A draft in which nothing has been found. */
export function emptyDraft(): SaveDraft {
  return { assignments: [], before: [], within: [], mistakes: [], report: new Report() };
}

/**
 * Throws what was found: a plain Error (500) for mistakes, which begins with `sentence`, and otherwise as
 * {@link refuseInvalid} does.
 */
export function refuseMistakes(model: Subject['model'], document: unknown, { mistakes, report }: SaveDraft, sentence: string): void {
  if (mistakes.length > 0) throw new Error(`${sentence}: ${mistakes.join('; ')}.`);
  refuseInvalid(report.errors, model, document, sentence);
}

/**
 * Compiles the comparison of the object at one place, in document form, with what is stored. `guardsChecked` adds all
 * values that a check has seen to `before`.
 */
export function compileObjectPlan(node: ObjectNode, place: FieldPath, guardsChecked: boolean): PlanObject {
  const members = node.fields.map((field) => ({
    field,
    at: pathIn(place, field),
    read: compileFieldReader(field, serverAccess),
    readStored: compileMemberRead(field.key),
    makeLeftOut: compileLeftOut(field),
    planKeys: field.node.kind === 'object' ? compileObjectPlan(field.node, pathIn(place, field), guardsChecked) : undefined,
  }));
  const runCheck = compileCheck(node);
  const guarded = runCheck && guardsChecked ? ownFields(node).fields : [];
  return function planObject(document, before, stored, draft) {
    const errorsBefore = draft.mistakes.length + draft.report.size;
    const after: Record<string, unknown> = { ...stored };
    let hasChanged = false;
    noteUnknownKeys(node, document, place.name, draft);
    for (const { field, at, read, readStored, makeLeftOut, planKeys } of members) {
      const [held, was] = [own(document, field.name), own(before, field.name)];
      if (isSameValue(held, was)) continue;
      const now = held === undefined ? makeLeftOut() : held;
      if (isSameValue(now, was)) continue;
      const storedValue = readStored(stored);
      hasChanged = true;
      if (field.maintained || field.isId) draft.mistakes.push(setByService(at.name));
      else if (planKeys && isObject(now) && isObject(was) && isStoredObject(storedValue)) {
        draft.within.push(at.path);
        after[field.key] = planKeys(now, was, storedValue, draft);
      } else {
        const value = now === undefined ? absent : read(now, at.name, draft.report);
        if (now === undefined && !field.optional) draft.report.add(at.name, isRequiredButMissing);
        draft.assignments.push({ path: at.path, value });
        draft.before.push(asStored(at.path, storedValue));
        if (value === absent) Reflect.deleteProperty(after, field.key);
        else after[field.key] = value;
      }
    }
    if (runCheck && hasChanged && draft.mistakes.length + draft.report.size === errorsBefore) {
      runCheck(after, place.name, draft.report);
      draft.before.push(...guarded.map(({ key }) => asStored(join(place.path, key), stored[key])));
    }
    return after;
  };
}

/** Notes each key that is not a field: a mistake of the handler or hook. */
export function noteUnknownKeys(node: ObjectNode, document: Members, path: string, { mistakes }: SaveDraft): void {
  for (const key of Object.keys(document)) {
    if (!node.byName.has(key) && document[key] !== undefined) mistakes.push(`\`${join(path, key)}\` is not a field`);
  }
}

/** The mistake of a value for the id, the revision or a timestamp. */
export function setByService(path: string): string {
  return `\`${path}\` is set by the service itself`;
}

function asStored(path: string, value: unknown): Assignment {
  return { path, value: value === undefined ? absent : value };
}

/**
 * Compiles the value, in document form, of a key that the handler deleted or left out: as on create its default, null,
 * or nothing.
 */
function compileLeftOut(field: CompiledField): () => unknown {
  const show = compileShownValue(field);
  const hydrate = compileItemHydrate(field);
  return function makeLeftOut() {
    const unsent = field.maintained ? undefined : valueOfUnsent(field);
    const shown = unsent === absent ? show({}) : unsent;
    return shown === absent || shown === undefined ? undefined : hydrate(shown);
  };
}
