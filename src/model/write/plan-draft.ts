import { type CompiledField, type FieldPath, type ObjectNode, pathIn, recordPath } from '../node.ts';
import { copyValue } from '../value/copy-value.ts';
import { isObject, own } from '../value/plain-object.ts';
import { isSameValue } from '../value/same-value.ts';
import { isStoredObject } from '../value/stored-shape.ts';
import { serverAccess } from './access.ts';
import { compileWholeCheck, place } from './check-whole.ts';
import { coversWhole } from './creation.ts';
import { compileShowAssigned, mergeLeft } from './draft-keys.ts';
import { KeyMerge } from './key-merge.ts';
import { type Assignment, type Changes, compileFieldPlan, type EmbeddedMerge, type PlannedChanges } from './plan-changes.ts';
import { compileObjectPlan, emptyDraft, type Members, noteUnknownKeys, refuseMistakes, type SaveDraft, setByService } from './plan-save.ts';
import { compileFieldReader, compileObjectReader, isRequiredButMissing } from './read-value.ts';
import { describeErrors, seenErrors } from './refuse-invalid.ts';
import { Report } from './report.ts';
import type { Subject } from './subject.ts';

/** The members of a compiled model that drafts need. */
interface DraftedModel {
  readonly name: string;
  readonly root: ObjectNode;
  hydrate(stored: unknown): unknown;
}

/** The drafts that hooks see before a write, and may change. */
export interface Drafts {
  /** A new record in document form. */
  showRecord(stored: unknown): unknown;
  /** The changes of a patch or put in document form: a partial, nested document, with null where a key is removed. */
  showChanges(changes: Changes): unknown;
  /**
   * The new record in stored form, as the hooks have left its draft. With `isIncomplete`, a required field may have
   * been missing before.
   */
  readRecord(draft: unknown, stored: Members, isIncomplete: boolean): Record<string, unknown>;
  /** The changes as the hooks have left their draft. What they have not changed is the client's plan, as it was. */
  readChanges(draft: unknown, changes: Changes): Changes;
}

/**
 * Compiles the drafts of a model. What hooks change or add is read with the server's access: the client's policy does
 * not apply.
 *
 * The readers throw `validation_failed` (422) for invalid values, of which the client is told what its view has,
 * because such a value probably comes from it. They throw a plain Error (500) for a key that is not a field or that the
 * service itself sets.
 */
export function compileDrafts(model: DraftedModel): Drafts {
  const { name, root, hydrate } = model;
  const sentence = `A hook in \`before\` left a draft of ${name} that cannot be written`;
  const planRecord = compileObjectPlan(root, recordPath, false);
  const readWhole = compileObjectReader(root, { ...serverAccess, defersChecks: true });
  const shown = new Map(valuesOf(root, recordPath));
  const shownAt = (path: string) => shown.get(path) as ShownAt;
  const planDraft = compileDraftPlan(root, recordPath, { model, sentence, namesAt: (path) => shownAt(path).names });
  const checkWhole = compileWholeCheck(root);

  /** A copy, because a hook may keep its draft and change it while the write is under way. */
  function copyDraft(draft: unknown): Members {
    if (isObject(draft)) return copyValue(draft) as Members;
    throw new Error(`${sentence}: its prototype was changed.`);
  }

  function requireComplete(stored: Members): void {
    const report = new Report();
    readWhole(hydrate(stored), '', report);
    const missing = report.errors.filter(({ rule }) => rule === isRequiredButMissing.rule);
    if (missing.length > 0) throw new Error(`Fields that only the server sets on create: ${describeErrors(missing)}`);
  }

  function showChanges({ assignments, embedded }: Changes): Record<string, unknown> {
    const draft: Record<string, unknown> = {};
    for (const { path } of embedded) place(draft, shownAt(path).names, {});
    for (const { path, value } of assignments) place(draft, shownAt(path).names, shownAt(path).show(value));
    return draft;
  }

  return {
    showRecord: hydrate,
    showChanges,

    readRecord(draft, stored, isIncomplete) {
      const found = emptyDraft();
      const left = copyDraft(draft);
      const after = planRecord(left, hydrate(stored) as Members, stored, found);
      refuseMistakes(model, left, found, sentence);
      if (isIncomplete) requireComplete(after);
      return Object.fromEntries(root.fields.filter(({ key }) => Object.hasOwn(after, key)).map(({ key }) => [key, after[key]]));
    },

    readChanges(draft, changes) {
      const left = copyDraft(draft);
      const before = showChanges(changes);
      if (isSameValue(left, before)) return changes;
      const plans = new Plans(changes);
      planDraft(left, before, plans);
      const read = { ...changes, ...plans.read };
      if (plans.found.mistakes.length + plans.report.size === 0 && !changes.storedCheck) checkWhole?.(read, plans.report);
      refuseMistakes(model, left, plans.found, sentence);
      return read;
    },
  };
}

/** How a draft shows the value at a stored path: under which names, and in which form. */
interface ShownAt {
  readonly names: readonly string[];
  show(assigned: unknown): unknown;
}

/** Every value that an assignment can have, by its stored path. */
function* valuesOf(node: ObjectNode, parent: FieldPath): Iterable<readonly [path: string, shown: ShownAt]> {
  for (const field of node.fields) {
    const at = pathIn(parent, field);
    yield [at.path, { names: at.name.split('.'), show: compileShowAssigned(field) }];
    if (field.node.kind === 'object') yield* valuesOf(field.node, at);
  }
}

/** The client's plan, and the plan that is made of it and of the draft. */
class Plans {
  readonly read: PlannedChanges = { assignments: [], embedded: [] };
  readonly found: SaveDraft = emptyDraft();
  readonly #client: Changes;

  constructor(client: Changes) {
    this.#client = client;
  }

  get report(): Report {
    return this.found.report;
  }

  assignmentAt(path: string): Assignment | undefined {
    return this.#client.assignments.find((one) => one.path === path);
  }

  mergeAt(path: string): EmbeddedMerge | undefined {
    return this.#client.embedded.find((one) => one.path === path);
  }

  /** Keeps what the client's plan has at a path and below it. */
  keep(path: string): void {
    const isKept = (one: { readonly path: string }) => `${one.path}.`.startsWith(`${path}.`);
    this.read.assignments.push(...this.#client.assignments.filter(isKept));
    this.read.embedded.push(...this.#client.embedded.filter(isKept));
  }
}

/**
 * The context of every plan of a draft: the model, the names of stored paths, and the beginning of messages
 * to the developer.
 */
interface About {
  readonly model: Subject['model'];
  readonly sentence: string;
  namesAt(path: string): readonly string[];
}

/**
 * Plans an object that is written key by key. `shown` is the draft that the hooks were given, and `left` is the draft
 * as they left it.
 */
type PlanDraft = (left: Members, shown: Members, plans: Plans) => void;
/** Plans one member of it. */
type PlanMember = (left: unknown, shown: unknown, plans: Plans) => void;

function compileDraftPlan(node: ObjectNode, place: FieldPath, about: About): PlanDraft {
  const members = node.fields.map((field) => {
    const at = pathIn(place, field);
    return { field, at, planMember: compileMemberPlan(field, at, about) };
  });
  return function planDraft(left, shown, plans) {
    noteUnknownKeys(node, left, place.name, plans.found);
    for (const { field, at, planMember } of members) {
      const [held, was] = [own(left, field.name), own(shown, field.name)];
      if (held === undefined) continue; // removed, or never there
      if (isSameValue(held, was)) plans.keep(at.path);
      else if (field.maintained || field.isId) plans.found.mistakes.push(setByService(at.name));
      else planMember(held, was, plans);
    }
  };
}

/**
 * Plans a value that hooks have changed or added. Where the client's plan writes the value as a whole, so does the new
 * plan.
 */
function compileMemberPlan(field: CompiledField, at: FieldPath, about: About): PlanMember {
  const { name, path } = at;
  const read = compileFieldReader(field, serverAccess);
  const planAdded = compileFieldPlan(field, at, serverAccess, 'merge');
  const planReplaced = field.node.kind === 'object' ? compileObjectPlan(field.node, at, false) : undefined;
  const planMerged = field.node.kind === 'object' ? compileMergePlan(field.node, at, about) : undefined;
  return function planMember(left, shown, plans) {
    const { assignments, embedded } = plans.read;
    const assigned = plans.assignmentAt(path);
    const merge = plans.mergeAt(path);
    if (assigned && planReplaced && isObject(left) && isObject(shown) && isStoredObject(assigned.value))
      assignments.push({ path, value: planReplaced(left, shown, assigned.value, plans.found) });
    else if (merge && planMerged && isObject(left) && isObject(shown)) planMerged(left, shown, merge, plans);
    else if (merge || (assigned && !(assigned.value instanceof KeyMerge)))
      assignments.push({ path, value: read(left, name, plans.report) });
    else {
      const added: PlannedChanges = { assignments: [], embedded: [] };
      planAdded(left, added, plans.report);
      const mistakeAt = (keys: string) => sentenceOf(path, about, keys);
      for (const { path: at, value } of added.assignments)
        assignments.push({ path: at, value: mergeLeft(value, plans.assignmentAt(at)?.value, left, shown, mistakeAt) });
      embedded.push(...added.embedded.map((one) => (one.refused.length > 0 ? impossible(one.path, about) : one)));
    }
  };
}

/** Plans an object into which the client and the hooks write keys, and its creation if the record has none. */
function compileMergePlan(node: ObjectNode, at: FieldPath, about: About) {
  const planDraft = compileDraftPlan(node, at, about);
  const readNew = compileObjectReader(node, { ...serverAccess, incompleteObjects: true, mergesMaps: true });
  return function planMerged(left: Members, shown: Members, merge: EmbeddedMerge, plans: Plans): void {
    const creation = new Report();
    const whole = readNew(left, at.name, creation);
    plans.read.embedded.push(creation.size === 0 ? { path: at.path, whole, refused: [] } : refuseCreation(merge, left, creation, about));
    const sizeBefore = plans.report.size;
    planDraft(left, shown, plans);
    if (plans.report.size === sizeBefore && coversWhole(node, left)) for (const error of creation.refusals) plans.report.refuse(error);
  };
}

/**
 * An object that is not created if the record has none. The error names only what the client can change: what its own
 * body leaves out.
 */
function refuseCreation({ path, refused }: EmbeddedMerge, left: Members, { incomplete, refusals }: Report, about: About): EmbeddedMerge {
  const names = about.namesAt(path);
  if (incomplete.some((one) => one.path === names.join('.')))
    return refused.length > 0 ? { path, whole: undefined, refused } : impossible(path, about);
  const document = names.reduceRight<unknown>((within, name) => ({ [name]: within }), left);
  const seen = seenErrors(refusals, about.model, document);
  if (refusals.length > 0 && seen.length === 0) return impossible(path, about);
  return { path, whole: undefined, refused: seen }; // without refusals, an object inside it has the error
}

function impossible(path: string, about: About): EmbeddedMerge {
  return { path, whole: undefined, refused: [], mistake: sentenceOf(path, about) };
}

function sentenceOf(path: string, { sentence, namesAt }: About, ...keys: readonly string[]): string {
  return `${sentence}: the record has no \`${[...namesAt(path), ...keys].join('.')}\`, and the draft does not suffice to create it.`;
}
