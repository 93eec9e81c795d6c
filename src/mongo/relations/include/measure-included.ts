import { TooMuchIncluded } from '../../../model/read/included.ts';
import type { StoredRecord } from '../../stored-record.ts';
import { collectIds, type Inclusion, inBatches, isManyStep, maxIds, ownIds, type Source, type Step } from './read-included.ts';

/** How much of the records that relations lead to fits into an answer. */
export interface Measured {
  /** For how many of the first records everything fits. */
  readonly count: number;
  /** How many records of each relation by `t.hasMany` fit if only the first record is shown. */
  readonly ofFirst: ReadonlyMap<Step, Fitting>;
}

interface Fitting {
  readonly fits: number;
  /** How many there are to show. */
  readonly all: number;
}

/**
 * The records that a relation leads to from one record, in their order. A record that several lead to is read once: it
 * has the same key.
 */
type Led = readonly { readonly key: string; readonly bytes: number }[];

/**
 * Measures, in one command for each relation, what the relations of records lead to: the database counts the bytes and
 * sends only numbers. The relations of included records are not measured. Throws {@link TooMuchIncluded} if the first
 * record leads to more than 50,000 ids, or to records by references that do not fit.
 */
export async function measureIncluded(records: readonly StoredRecord[], steps: readonly Step[], inclusion: Inclusion): Promise<Measured> {
  const wanted = steps.filter((step) => inclusion.steps.has(step));
  const measuring = wanted.map(async (step) => ({ step, led: await measureStep(records, step, inclusion) }));
  await Promise.allSettled(measuring); // after an error, no read continues in the background
  const measured = await Promise.all(measuring);
  return { count: countFitting(records, measured, inclusion), ofFirst: cutFirst(measured, inclusion) };
}

type MeasuredStep = { readonly step: Step; readonly led: readonly Led[] };

function countFitting(records: readonly StoredRecord[], measured: readonly MeasuredStep[], { maxPageBytes }: Inclusion): number {
  const most = Math.min(records.length, ...measured.map(({ led }) => led.length));
  const seen = measured.map(() => new Set<string>());
  let left = maxPageBytes;
  for (let count = 0; count < most; count++) {
    for (const [index, { led }] of measured.entries()) {
      for (const { key, bytes } of led[count] ?? []) {
        if (!seen[index]?.has(key)) left -= bytes;
        seen[index]?.add(key);
      }
    }
    if (left < 0) return count;
  }
  return most;
}

/**
 * References take their room first, because they cannot be cut. Throws {@link TooMuchIncluded} if there is not enough
 * for them.
 */
function cutFirst(measured: readonly MeasuredStep[], { maxPageBytes }: Inclusion): Measured['ofFirst'] {
  const bytesOf = (led: Led | undefined) => (led ?? []).reduce((sum, { bytes }) => sum + bytes, 0);
  let left = maxPageBytes;
  for (const { step, led } of measured) if (!isManyStep(step)) left -= bytesOf(led[0]);
  if (left < 0) throw new TooMuchIncluded();
  const ofFirst = new Map<Step, Fitting>();
  for (const { step, led } of measured) {
    if (!isManyStep(step) || step.relation.isCount) continue;
    const all = (led[0] ?? []).slice(0, step.children.max);
    let fits = 0;
    for (; fits < all.length && left >= (all[fits]?.bytes ?? 0); fits++) left -= all[fits]?.bytes ?? 0;
    ofFirst.set(step, { fits, all: all.length });
  }
  return ofFirst;
}

/** The ids that each of the first records leads to: as many records as have no more than 50,000 ids together. */
async function measureStep(records: readonly StoredRecord[], step: Step, inclusion: Inclusion): Promise<readonly Led[]> {
  const scope = inclusion.scopes.get(step.source);
  if (!scope || (isManyStep(step) && step.relation.isCount)) return records.map(() => []);
  return isManyStep(step) ? measureChildren(records, step, scope, inclusion) : measureReferred(records, step, scope, inclusion);
}

async function measureReferred(
  records: readonly StoredRecord[],
  { relation, source }: Exclude<Step, { children: object }>,
  scope: NonNullable<ReturnType<Inclusion['scopes']['get']>>,
  { work }: Inclusion,
): Promise<readonly Led[]> {
  const all = new Map<string, unknown>();
  const keys: string[][] = [];
  for (const record of records) {
    const ids = collectIds([record], relation, source.model.id.leaf);
    for (const [key, id] of ids) all.set(key, id);
    if (all.size > maxIds) break;
    keys.push([...ids.keys()]);
  }
  if (keys.length === 0) throw new TooMuchIncluded();
  const sizes = new Map<string, number>();
  for (const ids of inBatches(all))
    for (const [key, bytes] of await source.collection.sizeMany([...ids.values()], scope, work)) sizes.set(key, bytes);
  return keys.map((own) => own.map((key) => ({ key, bytes: sizes.get(key) ?? 0 })));
}

async function measureChildren(
  records: readonly StoredRecord[],
  { children, source }: Extract<Step<Source>, { children: object }>,
  scope: NonNullable<ReturnType<Inclusion['scopes']['get']>>,
  { work }: Inclusion,
): Promise<readonly Led[]> {
  const byParent = new Map<string, { key: string; bytes: number }[]>();
  let most = maxIds;
  let last: string | undefined; // behind this record, not all were counted
  for (const ids of inBatches(ownIds(records, children))) {
    const parents = [...ids.keys()];
    const sizes = await source.collection.sizeChildren([...ids.values()], children, { scope, most }, work);
    for (const { parent, bytes } of sizes) {
      const key = parents[parent] as string;
      const own = byParent.get(key) ?? [];
      byParent.set(key, own);
      own.push({ key: `${key} ${own.length}`, bytes });
      last = sizes.length > most ? key : undefined;
    }
    most -= sizes.length;
    if (last !== undefined) break;
  }
  const led = records.map((record) => byParent.get(record.idText) ?? []);
  const end = last === undefined ? -1 : records.findIndex(({ idText }) => idText === last);
  return end === -1 ? led : led.slice(0, Math.max(end, 1));
}
