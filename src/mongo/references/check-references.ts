import { validationFailed } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { ReferenceField, VisitId } from '../../model/compile/reference-fields.ts';
import type { Changes } from '../../model/write/plan-changes.ts';
import { type FieldError, Invalid } from '../../rules.ts';
import type { Work } from '../driver/work.ts';
import { notFound } from '../open-reads.ts';
import { applyChanges } from '../query/apply-changes.ts';
import type { Filter } from '../query/filter.ts';
import type { Viewer } from '../viewer.ts';
import type { Edge } from './references.ts';

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

/** The same words for a record that is not there and for one that the client may not see. */
const unknownRecord = new Invalid('reference', 'must be the id of a record within your reach');

/** Whether the reference holds when the other record is deleted at the same time. */
export function isHeld({ edge }: Named): boolean {
  return edge.field.ref.onDelete !== undefined;
}

/** The references that a write names. A reference without an id in the write is left out. */
function nameIds(edges: readonly Edge[], visit: (field: ReferenceField, visit: VisitId, edge: Edge) => void): Named[] {
  return edges.flatMap((edge) => {
    const ids: Ids = new Map();
    visit(
      edge.field,
      (id, path) => {
        const key = edge.field.leaf.toJson(id);
        const known = ids.get(key);
        if (known) known.paths.add(path);
        else ids.set(key, { id, paths: new Set([path]) });
      },
      edge,
    );
    return ids.size > 0 ? [{ edge, ids }] : [];
  });
}

/** How records are written. */
interface Together {
  /** Whether all of them are written or none, so that they may refer to one another. Otherwise each may refer to itself only. */
  readonly areOne: boolean;
  /** Whether the place of its record stands in front of each path. @default true */
  readonly arePlaced?: boolean;
}

/** The references of new records, without those to the records themselves. */
export function namedInRecords(edges: readonly Edge[], records: readonly Stored[], { areOne, arePlaced = true }: Together): Named[] {
  return nameIds(edges, ({ visit: visitIn, leaf }, visit, { target, holder }) => {
    const isToItself = target.model.collection === holder.model.collection;
    const all = isToItself && areOne ? new Set(records.map(({ _id }) => leaf.toJson(_id))) : new Set<string>();
    records.forEach((record, index) => {
      const own = isToItself && !areOne ? leaf.toJson(record._id) : undefined;
      visitIn(record, (id, path) => {
        const key = leaf.toJson(id);
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
export function namedInChanges(edges: readonly Edge[], { assignments, embedded }: Changes): Named[] {
  return nameIds(edges, (field, visit) => {
    for (const { path, value } of assignments) field.visitAt(path, value, visit);
    for (const { path, whole } of embedded) if (whole !== undefined) field.visitAt(path, whole, visit);
  });
}

/** Asks what the client may see of the records that a write refers to, before the first command: each source is asked once. */
export async function askViewer(named: readonly Named[], viewer: Viewer | undefined): Promise<ReadonlyMap<Edge, Filter | undefined>> {
  const scopes = new Map<Edge, Filter | undefined>();
  for (const { edge } of named) {
    const isBound = viewer?.boundsServer || viewer?.mayWrite(edge.field.name);
    scopes.set(edge, isBound ? await viewer?.scopeOf(edge.target) : {});
  }
  return scopes;
}

/** The part of the references whose records are not there, or not within the scope. Those that are held are held from now on. */
export async function findMissing(named: readonly Named[], scopes: ReadonlyMap<Edge, Filter | undefined>, work: Work): Promise<Named[]> {
  // In one order for all writes, so that those of several records meet at the first.
  const inOrder = [...named].sort((a, b) => compare(a.edge.target.model.collection, b.edge.target.model.collection));
  const missing: Named[] = [];
  for (const one of inOrder) missing.push(...(await findMissingOf(one, scopes.get(one.edge), work)));
  return missing;
}

async function findMissingOf(one: Named, scope: Filter | undefined, work: Work): Promise<Named[]> {
  if (!scope) return [one];
  const { edge } = one;
  const { collection, model } = edge.target;
  const sought = [...one.ids].sort(([a], [b]) => compare(a, b)).map(([, { id }]) => id);
  if (isHeld(one) && (await collection.holdAll(sought, scope, work)) === sought.length) return [];
  const found = await collection.findIdsBy('_id', sought, scope, sought.length, work);
  const ids = new Map(one.ids);
  for (const id of found) ids.delete(model.id.leaf.toJson(id));
  return ids.size > 0 ? [{ edge, ids }] : [];
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** Whether a writer may learn what a record holds: to let a client name it again would tell the value of a private field. */
export function mayTell({ field }: Edge, viewer: Viewer | undefined): boolean {
  return viewer === undefined || !field.isPrivate;
}

/** What is left of missing references after changes to a record: those that it did not have before at the same field. */
export function newIn(missing: readonly Named[], changes: Changes, stored: Stored, viewer: Viewer | undefined): Named[] {
  const changed = applyChanges(stored, changes);
  const after = nameIds(
    missing.map(({ edge }) => edge),
    (field, visit) => field.visit(changed, visit),
  );
  return after.flatMap(({ edge, ids }) => {
    const sought = missing.find((one) => one.edge === edge)?.ids;
    const before = new Set<string>();
    if (mayTell(edge, viewer)) edge.field.visit(stored, (id) => before.add(edge.field.leaf.toJson(id)));
    const left: Ids = new Map([...ids].filter(([key]) => sought?.has(key) && !before.has(key)));
    return left.size > 0 ? [{ edge, ids: left }] : [];
  });
}

/**
 * The error of missing references: 422 with all of their paths, or 404 if the path of the request names one of them. If the client may write none of the fields, no request could be right, and it is a
 * plain Error (500). For the application itself that is a private field.
 */
export function refusalOf(missing: readonly Named[], viewer: Viewer | undefined): Error {
  if (missing.some(({ edge }) => edge.field.name === viewer?.pathField)) return notFound();
  const errors = errorsOf(missing, viewer);
  if (errors.length > 0) return validationFailed(errors.slice(0, mostErrors));
  const names = missing.map(({ edge }) => `\`${edge.field.name}\` of ${edge.holder.model.name}`).join(', ');
  return new Error(`A write by the server itself refers to a record that is not there: ${names}.`);
}

/** The errors of references that a record of a model cannot be restored with. A field that is private, or only of another model, is not named. */
export function danglingIn(edges: readonly Edge[], model: CompiledModel): FieldError[] {
  const names = edges.map(({ field: { path } }) => {
    const own = model.references.find((field) => field.path === path);
    return own && !own.isPrivate ? own.name : '';
  });
  return [...new Set(names)].map((name) => unknownRecord.at(name));
}

/** The errors of missing references that the writer knows of. */
function errorsOf(missing: readonly Named[], viewer: Viewer | undefined): FieldError[] {
  const told = missing.filter(({ edge: { field } }) => (viewer ? viewer.mayWrite(field.name) : !field.isPrivate));
  return told.flatMap(({ ids }) => [...ids.values()].flatMap(({ paths }) => Array.from(paths, (path) => unknownRecord.at(path))));
}
