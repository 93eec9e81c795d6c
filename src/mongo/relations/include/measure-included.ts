import type { Relation } from '../../../model/relations/includable.ts';
import { Room, TooMuchIncluded } from '../../../model/relations/included.ts';
import { living } from '../../lifecycle/within.ts';
import type { Predicate } from '../../predicate/predicate.ts';
import type { StoredRecord } from '../../stored-record.ts';
import {
  addIds,
  childrenOf,
  type IncludedStep,
  type Inclusion,
  inQueries,
  isManyStep,
  type ManyStep,
  maxIds,
  ownIds,
  type Source,
} from './read-included.ts';

/** How much of the records that relations lead to fits into an answer. */
export interface Measured {
  /** For how many of the first records everything fits. */
  readonly count: number;
  /** How many records of each relation by `t.hasMany` fit if only the first record is shown. */
  readonly ofFirst: ReadonlyMap<IncludedStep, Fitting>;
}

interface Fitting {
  readonly fits: number;
  /** How many there are to show. */
  readonly all: number;
}

/** A record that a relation leads to. What several records lead to is read once: it has the same key. */
interface Item {
  readonly key: string;
  /** Its size, with what is shown in it. */
  readonly bytes: number;
}

type Led = readonly Item[];

interface MeasuredStep {
  readonly step: IncludedStep;
  /** What the relation leads to from each record, in order: for as many of the first records as it was measured. */
  readonly led: readonly Led[];
}

/**
 * Measures what the relations of records lead to: the database counts the bytes and sends only numbers, in one command
 * for each relation. For the relations of included records it is one more, which reads those of them that fit. Throws
 * {@link TooMuchIncluded} if the first record leads to more than 50,000 ids, or to records by references that do not
 * fit.
 */
export async function measureIncluded(
  records: readonly StoredRecord[],
  steps: readonly IncludedStep[],
  inclusion: Inclusion,
): Promise<Measured> {
  const measured = await measureSteps(records, steps, inclusion);
  return { count: countFitting(records.length, measured, inclusion), ofFirst: cutFirst(measured, inclusion) };
}

async function measureSteps(
  records: readonly StoredRecord[],
  steps: readonly IncludedStep[],
  inclusion: Inclusion,
): Promise<MeasuredStep[]> {
  const wanted = steps.filter((step) => inclusion.steps.has(step));
  const measuring = wanted.map(async (step) => ({ step, led: await measureStep(records, step, inclusion) }));
  await Promise.allSettled(measuring); // after an error, no read continues in the background
  const measured = await Promise.all(measuring);
  const fitting = records.slice(0, Math.max(countFitting(records.length, measured, inclusion), 1));
  const whole: MeasuredStep[] = [];
  for (const one of measured) whole.push(await addBelow(fitting, one, inclusion)); // one by one: what each reads may fill the room
  return whole;
}

/** Adds, to the records that a relation leads to, what their own relations lead to. */
async function addBelow(records: readonly StoredRecord[], measured: MeasuredStep, inclusion: Inclusion): Promise<MeasuredStep> {
  const { step, led } = measured;
  const scope = inclusion.scopes.get(step.source);
  if (!scope || !step.steps.some((below) => inclusion.steps.has(below))) return measured;
  const known = led.slice(0, records.length);
  const found = isManyStep(step)
    ? await readChildren(records, known, step, scope, inclusion)
    : await readReferred(records, known, step, scope, inclusion);
  const below = await measureSteps([...found.values()], step.steps, inclusion);
  const bytes = new Map([...found.keys()].map((key, index) => [key, sum(below.map(({ led }) => bytesOf(led[index])))]));
  return { step, led: known.map((items) => items.map((item) => ({ ...item, bytes: item.bytes + (bytes.get(item.key) ?? 0) }))) };
}

function countFitting(most: number, measured: readonly MeasuredStep[], { maxPageBytes }: Inclusion): number {
  const seen = measured.map(() => new Set<string>());
  let left = maxPageBytes;
  for (let count = 0; count < most; count++) {
    for (const [index, { led }] of measured.entries()) {
      const fresh = led[count]?.filter(({ key }) => !seen[index]?.has(key));
      left -= bytesOf(fresh);
      for (const { key } of fresh ?? []) seen[index]?.add(key);
    }
    if (left < 0) return count;
  }
  return most;
}

/** What was not measured does not fit. */
function bytesOf(led: Led | undefined): number {
  return led ? sum(led.map(({ bytes }) => bytes)) : Number.POSITIVE_INFINITY;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

/**
 * References take their room first, because they cannot be cut. Throws {@link TooMuchIncluded} if there is not enough
 * for them.
 */
function cutFirst(measured: readonly MeasuredStep[], inclusion: Inclusion): Measured['ofFirst'] {
  let left = inclusion.maxPageBytes;
  for (const { step, led } of measured) if (!isManyStep(step)) left -= bytesOf(led[0]);
  if (left < 0) throw new TooMuchIncluded();
  const ofFirst = new Map<IncludedStep, Fitting>();
  for (const { step, led } of measured) {
    if (!isManyStep(step) || step.relation.isCount) continue;
    const all = (led[0] ?? []).slice(0, childrenOf(step, inclusion).max);
    const fits = countWithin(left, all);
    left -= bytesOf(all.slice(0, fits));
    ofFirst.set(step, { fits, all: all.length });
  }
  return ofFirst;
}

/** How many of the first items have a place in so many bytes. */
function countWithin(room: number, items: Led): number {
  let left = room;
  for (const [index, { bytes }] of items.entries()) {
    left -= bytes;
    if (left < 0) return index;
  }
  return items.length;
}

async function measureStep(records: readonly StoredRecord[], step: IncludedStep, inclusion: Inclusion): Promise<readonly Led[]> {
  const scope = inclusion.scopes.get(step.source);
  if (!scope || (isManyStep(step) && step.relation.isCount)) return records.map(() => []);
  return isManyStep(step) ? measureChildren(records, step, scope, inclusion) : measureReferred(records, step, scope, inclusion);
}

type ReferenceStep = Exclude<IncludedStep, { children: object }>;

/** For as many records as have no more than 50,000 ids together. */
async function measureReferred(
  records: readonly StoredRecord[],
  step: ReferenceStep,
  scope: Predicate,
  { work, fields }: Inclusion,
): Promise<readonly Led[]> {
  const { relation, source } = step;
  const all = new Map<string, unknown>();
  const keys: string[][] = [];
  for (const record of records) {
    const ids = idsOf(record, relation, source);
    for (const [key, id] of ids) all.set(key, id);
    if (all.size > maxIds) break;
    keys.push([...ids.keys()]);
  }
  const which = { within: living(source.model, scope), fields: fields?.get(step) };
  const sizes = new Map<string, number>();
  if (keys.length > 0)
    for (const ids of inQueries(all))
      for (const { key, taken } of await source.collection.findRelated({ ...which, ids }, 'bytes', work)) sizes.set(key, taken);
  return keys.map((own) => own.map((key) => ({ key, bytes: sizes.get(key) ?? 0 })));
}

async function readReferred(
  records: readonly StoredRecord[],
  led: readonly Led[],
  { relation, source }: ReferenceStep,
  scope: Predicate,
  { work, maxPageBytes }: Inclusion,
): Promise<ReadonlyMap<string, StoredRecord>> {
  const fitting = new Map<string, unknown>();
  let left = maxPageBytes;
  for (const [index, record] of records.entries()) {
    const ids = idsOf(record, relation, source);
    for (const { key, bytes } of led[index] ?? []) {
      if (fitting.has(key)) continue;
      left -= bytes;
      if (left >= 0) fitting.set(key, ids.get(key));
    }
  }
  const found = new Map<string, StoredRecord>();
  for (const ids of inQueries(fitting)) {
    const which = { ids, within: living(source.model, scope), room: new Room(maxPageBytes) };
    for (const { key, taken } of await source.collection.findRelated(which, 'record', work)) found.set(key, taken);
  }
  return found;
}

function idsOf(record: StoredRecord, relation: Relation, source: Source): ReadonlyMap<string, unknown> {
  const ids = new Map<string, unknown>();
  addIds(ids, record, relation, source.model.id.leaf);
  return ids;
}

async function measureChildren(
  records: readonly StoredRecord[],
  step: ManyStep,
  scope: Predicate,
  inclusion: Inclusion,
): Promise<readonly Led[]> {
  const { work, fields } = inclusion;
  const { source } = step;
  const children = childrenOf(step, inclusion);
  const which = { within: living(source.model, scope), fields: fields?.get(step), children };
  const byParent = new Map<string, Item[]>();
  let most = maxIds;
  let last: string | undefined; // behind this record, not all were counted
  for (const ids of inQueries(ownIds(records, children))) {
    const sizes = await source.collection.findRelated({ ...which, ids, most }, 'bytes', work);
    for (const { key, taken: bytes } of sizes) {
      const own = byParent.get(key) ?? [];
      byParent.set(key, own);
      own.push({ key: keyOfChild(key, own.length), bytes });
      last = sizes.length > most ? key : undefined;
    }
    most -= sizes.length;
    if (last !== undefined) break;
  }
  const led = records.map((record) => byParent.get(record.idText) ?? []);
  const end = last === undefined ? -1 : records.findIndex(({ idText }) => idText === last);
  return end === -1 ? led : led.slice(0, Math.max(end, 1));
}

/** A single record may have more children than fit: as many as fit are read. */
async function readChildren(
  records: readonly StoredRecord[],
  led: readonly Led[],
  step: ManyStep,
  scope: Predicate,
  inclusion: Inclusion,
): Promise<ReadonlyMap<string, StoredRecord>> {
  const { work, maxPageBytes } = inclusion;
  const { source } = step;
  const children = childrenOf(step, inclusion);
  const fits = records.length === 1 ? countWithin(maxPageBytes, led[0] ?? []) : children.max + 1;
  const found = new Map<string, StoredRecord>();
  if (fits === 0) return found;
  const which = {
    within: living(source.model, scope),
    room: new Room(maxPageBytes),
    children: { ...children, max: fits - 1 },
    most: maxIds,
  };
  for (const ids of inQueries(ownIds(records, children))) {
    const counts = new Map<string, number>();
    for (const { key, taken } of await source.collection.findRelated({ ...which, ids }, 'record', work)) {
      const index = counts.get(key) ?? 0;
      counts.set(key, index + 1);
      if (index < children.max) found.set(keyOfChild(key, index), taken);
    }
  }
  return found;
}

/** The key of a child by its place among those of its parent. */
function keyOfChild(parent: string, index: number): string {
  return `${parent} ${index}`;
}
