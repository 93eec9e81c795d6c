import { notFound, validationFailed } from '../../../errors.ts';
import type { CompiledModel } from '../../../model/compile/compile-model.ts';
import type { ReferenceField, VisitId } from '../../../model/relations/reference-fields.ts';
import { idToJson } from '../../../model/value/number-in-path.ts';
import type { Changes } from '../../../model/write/plan-changes.ts';
import { type FieldError, Invalid, note } from '../../../rules.ts';
import { idsOnly } from '../../collection/find.ts';
import { planHold } from '../../collection/write-plan.ts';
import type { Writer } from '../../collection/writer.ts';
import type { Work } from '../../driver/work.ts';
import { living } from '../../lifecycle/within.ts';
import type { Predicate } from '../../predicate/predicate.ts';
import { applyChanges } from '../../query/apply-changes.ts';
import type { Edge } from '../references.ts';
import type { Holding, Parent } from './latches/latches.ts';

type Stored = Readonly<Record<string, unknown>>;

/** Ids in stored form by the text of their JSON, each with the paths where a write has them. */
export type Ids = Map<string, { readonly id: unknown; readonly paths: Set<string> }>;

/** The ids that a write has for a reference. */
export interface Named {
  readonly edge: Edge;
  readonly ids: Ids;
}

/** The most errors of one answer, as for a body. */
export const mostErrors = 100;

/** The scope of the application itself. */
export const anywhere: Predicate = {};

/** The same words for a record that is not there and for one that the client may not see. */
const unknownRecord = new Invalid('reference', 'must be the id of a record within your reach');

/** Within which scope each reference is asked for; undefined if the writer may see nothing there. */
export type Scopes = ReadonlyMap<Edge, Predicate | undefined>;

/** Whether a reference holds when the other record is deleted at the same time. */
export function isHeldBy({ field }: Edge): boolean {
  return field.ref.onDelete !== undefined;
}

/** Whether the references that a write has by one field hold. */
export function isHeld({ edge }: Named): boolean {
  return isHeldBy(edge);
}

/** The most different ids that a client may send for one reference: each is looked up, and latched if it must hold. */
const mostIds = 2_000;

const tooManyIds = new Invalid('maxItems', `must have at most ${mostIds} different ids`, { limit: mostIds });

/**
 * The references that a write names. A reference without an id in the write is left out. Throws `validation_failed`
 * (422) if a client, whose view is `writer`, has sent too many ids for one of them.
 */
function nameIds(
  edges: readonly Edge[],
  writer: Writer | undefined,
  visit: (field: ReferenceField, visit: VisitId, edge: Edge) => void,
): Named[] {
  return edges.flatMap((edge) => {
    const ids: Ids = new Map();
    visit(
      edge.field,
      (id, path) => {
        const key = idToJson(edge.field.leaf, id);
        const known = ids.get(key);
        if (known) {
          known.paths.add(path);
          return;
        }
        if (ids.size === mostIds && !isServer(writer) && writer?.mayWrite(edge.field.name))
          throw validationFailed([tooManyIds.at(edge.field.name)]);
        ids.set(key, { id, paths: new Set([path]) });
      },
      edge,
    );
    return ids.size > 0 ? [{ edge, ids }] : [];
  });
}

/** How records are written. */
interface Together {
  /**
   * Whether all of them are written or none, so that they may refer to one another. Otherwise each may refer to itself
   * only.
   */
  readonly areOne: boolean;
  /** Whether the place of its record stands in front of each path. @default true */
  readonly arePlaced?: boolean;
  /** @default the application itself */
  readonly writer?: Writer | undefined;
}

/** The references of new records, without those to the records themselves. */
export function namedInRecords(
  edges: readonly Edge[],
  records: readonly Stored[],
  { areOne, arePlaced = true, writer }: Together,
): Named[] {
  return nameIds(edges, writer, ({ visit: visitIn, leaf }, visit, { target, holder }) => {
    const isToItself = target.model.collection === holder.model.collection;
    const all = isToItself && areOne ? new Set(records.map(({ _id }) => idToJson(leaf, _id))) : new Set<string>();
    records.forEach((record, index) => {
      const own = isToItself && !areOne ? idToJson(leaf, record._id) : undefined;
      visitIn(record, (id, path) => {
        const key = idToJson(leaf, id);
        if (key !== own && !all.has(key)) visit(id, arePlaced ? `${index}.${path}` : path);
      });
    });
  });
}

/** Divides the path of a placed reference into the place of its record and the rest. */
export function splitPlace(path: string): { readonly index: number; readonly rest: string } {
  const end = path.indexOf('.');
  return { index: Number(path.slice(0, end)), rest: path.slice(end + 1) };
}

/** The references that changes set, also in embedded objects that they may have to create. */
export function namedInChanges(edges: readonly Edge[], { assignments, embedded }: Changes, writer?: Writer): Named[] {
  return nameIds(edges, writer, (field, visit) => {
    for (const { path, value } of assignments) field.visitAt(path, value, visit);
    for (const { path, whole } of embedded) if (whole !== undefined) field.visitAt(path, whole, visit);
  });
}

/**
 * Asks what the client may see of the records that a write refers to, before the first command: each source is asked
 * once.
 */
export async function askScopes(named: readonly Named[], writer: Writer | undefined): Promise<Scopes> {
  const scopes = new Map<Edge, Predicate | undefined>();
  for (const { edge } of named) {
    const isBound = writer?.scopeOf && (writer.boundsServer || writer.mayWrite(edge.field.name));
    scopes.set(edge, isBound ? await writer.scopeOf?.(edge.target) : anywhere);
  }
  return scopes;
}

/** The references of a write that lead to one collection, and are asked for within one scope. */
interface SoughtTarget {
  readonly target: Edge['target'];
  readonly scope: Predicate | undefined;
  readonly named: Named[];
}

/**
 * The part of the references whose records are not there, or not within their scope. Those that must hold are held from
 * now on: their latches are taken by one command, before the records are read by one command for each collection and
 * scope. Outside a transaction, which sends one command after the other, these commands are sent at once.
 */
export async function findMissing(named: readonly Named[], scopes: Scopes, latches: Holding, work: Work): Promise<Named[]> {
  const held = parentsOf(named.filter(isHeld));
  const made = held.length > 0 ? await latches.hold(held, work) : none;
  const groups = groupByTarget(named, scopes);
  const find = (one: SoughtTarget) => findMissingOf(one, made, work);
  const missing = work.transaction ? await inTurn(groups, find) : (await Promise.all(groups.map(find))).flat();
  const unwritten = parentsOf(missing).filter(({ key }) => made.has(key));
  if (unwritten.length > 0) await latches.discard(unwritten, work);
  return missing;
}

async function inTurn(groups: readonly SoughtTarget[], find: (one: SoughtTarget) => Promise<readonly Named[]>): Promise<Named[]> {
  const missing: Named[] = [];
  for (const one of groups) missing.push(...(await find(one)));
  return missing;
}

const none: ReadonlySet<string> = new Set();

/** The records that references lead to, each once. */
function parentsOf(named: readonly Named[]): Parent[] {
  const parents = new Map<string, Parent>();
  for (const { edge, ids } of named)
    for (const [text, { id }] of ids) {
      const { model, collection } = edge.target;
      const touch = async (work: Work) =>
        (await collection.writeMany(planHold({ ids: [id], within: living(model, undefined) }), work)).matched > 0;
      const key = keyOf(model, text);
      parents.set(key, { collection: model.collection, id, key, touch });
    }
  return [...parents.values()];
}

function keyOf({ collection }: CompiledModel, text: string): string {
  return `${collection} ${text}`;
}

function groupByTarget(named: readonly Named[], scopes: Scopes): SoughtTarget[] {
  const groups: SoughtTarget[] = [];
  for (const one of named) {
    const { target } = one.edge;
    const scope = scopes.get(one.edge);
    const group = groups.find((other) => other.target.model.collection === target.model.collection && other.scope === scope);
    if (group) group.named.push(one);
    else groups.push({ target, scope, named: [one] });
  }
  return groups;
}

async function findMissingOf({ target, scope, named }: SoughtTarget, made: ReadonlySet<string>, work: Work): Promise<readonly Named[]> {
  if (!scope) return named;
  const { collection, model } = target;
  const missing = new Map<string, unknown>();
  for (const { ids } of named) for (const [key, { id }] of ids) missing.set(key, id);
  // A record whose first latch was made by this transaction must be written, too, which shows that it is there.
  const written = [...missing].filter(([key]) => made.has(keyOf(model, key))).map(([, id]) => id);
  const hold = () => planHold({ ids: written, within: living(model, scope) });
  const areAllThere = written.length > 0 && (await collection.writeMany(hold(), work)).matched === missing.size;
  if (areAllThere) return [];
  const sought = [...missing.values()];
  for (const id of await collection.find({ among: sought, within: living(model, scope) }, idsOnly, work))
    missing.delete(idToJson(model.id.leaf, id));
  return named.flatMap(({ edge, ids }) => {
    const left: Ids = new Map([...ids].filter(([key]) => missing.has(key)));
    return left.size > 0 ? [{ edge, ids: left }] : [];
  });
}

/**
 * Whether a writer may learn what a record holds: to let a client name it again would tell the value of a field that
 * the client writes and does not read.
 */
export async function mayTell({ field: { name, isPrivate }, holder }: Edge, writer: Writer | undefined): Promise<boolean> {
  if (isServer(writer)) return true;
  return !isPrivate && (!writer?.mayWrite(name) || (await writer.reads?.(holder.model, name)) !== false);
}

/** Whether the application itself writes. */
function isServer(writer: Writer | undefined): boolean {
  return writer?.scopeOf === undefined;
}

/** Removes the missing references that the record had at the same field before the changes. */
export async function newIn(missing: readonly Named[], changes: Changes, stored: Stored, writer: Writer | undefined): Promise<Named[]> {
  const changed = applyChanges(stored, changes);
  const after = nameIds(
    missing.map(({ edge }) => edge),
    undefined,
    (field, visit) => field.visit(changed, visit),
  );
  const found: Named[] = [];
  for (const { edge, ids } of after) {
    const sought = missing.find((one) => one.edge === edge)?.ids;
    const before = new Set<string>();
    if (await mayTell(edge, writer)) edge.field.visit(stored, (id) => before.add(idToJson(edge.field.leaf, id)));
    const left: Ids = new Map([...ids].filter(([key]) => sought?.has(key) && !before.has(key)));
    if (left.size > 0) found.push({ edge, ids: left });
  }
  return found;
}

/**
 * The error of missing references: 422 with all of their paths, or 404 if the path of the request names one of them. If
 * the client may not write any of the fields, no request can succeed: it is a plain Error (500). For the application
 * itself, that holds for private fields.
 */
export function refusalOf(missing: readonly Named[], writer: Writer | undefined): Error {
  if (missing.some(({ edge }) => edge.field.name === writer?.pathField)) return notFound();
  const errors = errorsOf(missing, writer);
  if (errors.length > 0) return validationFailed(errors.slice(0, mostErrors));
  const names = missing.map(({ edge }) => `\`${edge.field.name}\` of ${edge.holder.model.name}`).join(', ');
  return new Error(`A write by the server itself refers to a record that is not there: ${names}.`);
}

/**
 * The errors of references that a record of a model cannot be restored with. A field that the writer does not read, or
 * only of another model, is not named.
 */
export async function danglingIn(edges: readonly Edge[], model: CompiledModel, writer: Writer | undefined): Promise<FieldError[]> {
  const names = new Set<string>();
  for (const { field } of edges) {
    const own = model.references.find(({ path }) => path === field.path);
    const isTold = own && (writer?.isToldAll || (!own.isPrivate && (await writer?.reads?.(model, own.name)) !== false));
    names.add(isTold ? own.name : '');
  }
  const errors = Array.from(names, (name) => unknownRecord.at(name));
  for (const error of errors) note(error, { instead: unknownRecord.at('') });
  return errors;
}

/** The errors of missing references that the writer knows of. */
function errorsOf(missing: readonly Named[], writer: Writer | undefined): FieldError[] {
  const isTold = ({ isPrivate, name }: ReferenceField) => (isServer(writer) ? !isPrivate : writer?.mayWrite(name));
  const told = writer?.isToldAll ? missing : missing.filter(({ edge }) => isTold(edge.field));
  return told.flatMap(({ ids }) => [...ids.values()].flatMap(({ paths }) => Array.from(paths, (path) => unknownRecord.at(path))));
}
