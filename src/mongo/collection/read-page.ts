import type { Document as BsonDocument, Collection } from 'mongodb';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { SelectedFields } from '../../model/read/select-fields.ts';
import { bson, isText, typeNames } from '../../model/value/bson-bytes.ts';
import { numbersInPaths } from '../../model/value/number-in-path.ts';
import { batchesOf, type compileFirstBatch, type FirstBatch } from '../driver/read-batches.ts';
import type { Command } from '../driver/work.ts';
import type { Fitting } from '../list/build-page.ts';
import { countFitting } from '../list/page-bytes.ts';
import { buildPipeline, isFind, type PagePlan } from '../list/plan-page.ts';
import type { Filter } from '../predicate/predicate.ts';
import { StoredRecord } from '../stored-record.ts';
import { forClients, sizeShownOf } from './hidden-records.ts';

type Stored = Record<string, unknown>;

/** The records of a page, and how many bytes of them are read. */
export interface WantedPage {
  /** The model as the caller sees it. */
  readonly seen: CompiledModel;
  /** It asks for one record more than the page has. */
  readonly plan: PagePlan;
  /** What is fetched of records. @default everything */
  readonly projected: BsonDocument | undefined;
  readonly fields: SelectedFields | undefined;
  readonly maxPageBytes: number;
  readonly measuresFirst: boolean;
  readonly fetchPrivate: boolean;
  /** Whether all that is fetched counts, and not only what the model shows. */
  readonly countsAll: boolean;
  /** Whether records are left out that no path addresses, and whether the page has cursors. */
  readonly leavesOut: 'none' | 'from page' | 'from list';
}

/** Opens the pages of a collection: of the records that are planned, as many as have room, and at least one. */
export function openPages(
  model: CompiledModel,
  collection: Collection<Stored>,
  readFirstBatch: ReturnType<typeof compileFirstBatch>,
): (wanted: WantedPage, command: Command) => Promise<Fitting> {
  /** Makes the command that reads a page in one batch. Without a batch size the database would send 101 records. */
  function buildFind(plan: PagePlan, projection: BsonDocument | undefined, command: Command): BsonDocument {
    const { ranges, sort, skip, limit } = plan;
    const { maxTimeMS } = command;
    if (isFind(plan)) {
      const filter = command.handOver(ranges[0]);
      return { find: model.collection, filter, sort, skip, limit, batchSize: limit + 1, maxTimeMS, ...(projection && { projection }) };
    }
    const project = projection ? [{ $project: projection }] : [];
    const [first = {}, ...others] = [...buildPipeline(plan, model.collection), ...project];
    return { aggregate: model.collection, pipeline: [command.handOver(first), ...others], cursor: { batchSize: limit + 1 }, maxTimeMS };
  }

  function readPlanned(plan: PagePlan, projected: BsonDocument | undefined, command: Command): Promise<FirstBatch> {
    return command.count(() => readFirstBatch(buildFind(plan, projected, command), command));
  }

  /** One command for a page; in a transaction, where `$unionWith` is not allowed, one for each range. */
  function partsOf(plan: PagePlan, command: Command): readonly PagePlan[] {
    return command.session && !plan.computed ? plan.ranges.map((range) => ({ ...plan, ranges: [range] })) : [plan];
  }

  async function readPage(plan: PagePlan, projected: BsonDocument | undefined, command: Command): Promise<FirstBatch> {
    const [only, ...others] = partsOf(plan, command);
    if (only && others.length === 0) return readPlanned(only, projected, command);
    const found: Uint8Array[] = [];
    for (const part of [only as PagePlan, ...others]) {
      const batch = await readPlanned({ ...part, limit: plan.limit - found.length }, projected, command);
      found.push(...batch.found);
      if (batch.isCut) return { found, isCut: true };
      if (found.length === plan.limit) break;
    }
    return { found, isCut: false };
  }

  /** Reads as many records of a page as fit into so many bytes, and at least one. */
  async function readMeasured(
    plan: PagePlan,
    projected: BsonDocument | undefined,
    command: Command,
    maxBytes: number,
  ): Promise<FirstBatch> {
    const project = projected ? [{ $project: projected }] : [];
    const [first = {}, ...others] = [...buildPipeline(plan, model.collection), ...project];
    const pipeline = [command.handOver(first), ...others, { $project: { _id: 0, bytes: { $bsonSize: '$$ROOT' } } }];
    const options = { ...command.options, batchSize: plan.limit + 1 };
    const sizes = await command.count(() => collection.aggregate<{ readonly bytes: number }>(pipeline, options).toArray());
    const fitting = countFitting(sizes, maxBytes);
    if (fitting === sizes.length) return readPage(plan, projected, command);
    return { ...(await readPage({ ...plan, limit: Math.max(fitting, 1) }, projected, command)), isCut: true };
  }

  const { isUnaddressable, addressable } = compileAddresses(model);

  /**
   * Takes as many records as fit. Their sizes are asked for only if they could be too many: what is shown of them is
   * never more than what was read.
   */
  function takeFitting({ found, isCut }: FirstBatch, { seen, plan, maxPageBytes, fields, countsAll, leavesOut }: WantedPage): Fitting {
    const unaddressable = leavesOut === 'none' ? undefined : found.find(isUnaddressable);
    const first = found.slice(0, plan.limit - 1);
    const wanted = unaddressable ? first.filter((one) => !isUnaddressable(one)) : first;
    const isSmall = wanted.reduce((sum, { length }) => sum + length, 0) <= maxPageBytes;
    function sizes() {
      const sizeOf = countsAll ? sizeAll : sizeShownOf(seen);
      return wanted.map((one) => ({ bytes: sizeOf(one) }));
    }
    const count = isSmall ? wanted.length : Math.max(countFitting(sizes(), maxPageBytes), 1);
    const records = wanted.slice(0, count).map((one) => new StoredRecord(seen, one, fields));
    const isCutShort = count < wanted.length || (isCut && found.length < plan.limit - 1);
    const last = isCutShort ? undefined : found[plan.limit - 1];
    const goesOn = isCut || isCutShort || found.length >= plan.limit;
    return { records, goesOn, isCutShort, behind: last && new StoredRecord(seen, last, fields), unaddressable };
  }

  /**
   * Reads the page again, and on behind the end of the first reply: it was full of what is not shown, which must not
   * end the page.
   */
  async function readOn(wanted: WantedPage, command: Command): Promise<Fitting> {
    const { seen, plan, projected, maxPageBytes, fields, fetchPrivate, leavesOut } = wanted;
    const { sizeOf, toRecord } = forClients(seen);
    const records: StoredRecord[] = [];
    let left = maxPageBytes;
    let unaddressable: Uint8Array | undefined;
    for (const part of partsOf(plan, command)) {
      const cursor = readFirstBatch.openCursor(buildFind({ ...part, limit: plan.limit - records.length }, projected, command), command);
      for await (const batch of batchesOf(cursor)) {
        for (const one of batch) {
          if (leavesOut !== 'none' && isUnaddressable(one)) {
            unaddressable ??= one;
            continue;
          }
          left -= sizeOf(one);
          const isCutShort = records.length < plan.limit - 1 && left < 0 && records.length > 0;
          if (isCutShort || records.length === plan.limit - 1) return { records, goesOn: true, isCutShort, unaddressable };
          records.push(fetchPrivate ? new StoredRecord(seen, one, fields) : toRecord(one, fields));
        }
      }
    }
    return { records, goesOn: false, isCutShort: false, unaddressable };
  }

  /**
   * A page by cursor is read again without the records that no path addresses: a cursor must be made of the last one,
   * and they may fill the page.
   */
  function withoutOthers(fitting: Fitting, wanted: WantedPage, command: Command): Fitting | Promise<Fitting> {
    const { plan, leavesOut } = wanted;
    if (!fitting.unaddressable || leavesOut !== 'from list') return fitting;
    const [first, ...others] = plan.ranges.map((range) => ({ $and: [range, ...addressable] }));
    const { unaddressable } = fitting;
    const addressed: WantedPage = { ...wanted, plan: { ...plan, ranges: [first as Filter, ...others] }, leavesOut: 'from page' };
    return readFitting(addressed, command).then((again) => ({
      ...again,
      unaddressable,
    }));
  }

  async function readFitting(wanted: WantedPage, command: Command): Promise<Fitting> {
    const { seen, plan, projected, maxPageBytes, measuresFirst, fetchPrivate, countsAll } = wanted;
    const hides = !countsAll && (forClients(seen).hides || (fetchPrivate && seen.privateNames.size > 0));
    if (measuresFirst && !hides)
      return withoutOthers(takeFitting(await readMeasured(plan, projected, command, maxPageBytes), wanted), wanted, command);
    const batch = await readPage(plan, projected, command);
    const fitting = batch.isCut && hides ? await command.count(() => readOn(wanted, command)) : takeFitting(batch, wanted);
    return withoutOthers(fitting, wanted, command);
  }

  return readFitting;
}

function sizeAll({ length }: Uint8Array): number {
  return length;
}

/** Which records of a collection have a path. */
interface Addresses {
  /** Whether no path addresses a record, because its id is of another type than the model's, or is no such number. */
  isUnaddressable(source: Uint8Array): boolean;
  /** The conditions of all others. */
  readonly addressable: readonly BsonDocument[];
}

/** Compiles what lists leave out: what a path cannot name, so that GET does not find it. */
function compileAddresses(model: CompiledModel): Addresses {
  const { leaf } = model.id;
  const numbers = numbersInPaths(leaf);
  const types = numbers ? leaf.bsonTypes : (leaf.accepted ?? []).flatMap(({ bsonTypes }) => bsonTypes);
  return {
    isUnaddressable(source) {
      const type = source[4]; // the database stores the id in front
      const isOther = !types.includes(typeNames.get(type) ?? '');
      if (!isOther && (numbers === undefined || type === bson.int32)) return false;
      return isText(source, 5, '_id\0') && (isOther || numbers?.toJson(new StoredRecord(model, source).storedId) === undefined);
    },
    addressable: [{ _id: { $type: types } }, ...(numbers ? [numbers.condition] : [])],
  };
}
