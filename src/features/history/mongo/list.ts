import type { QueryParameter } from '../../../http/query-string.ts';
import type { CompiledModel } from '../../../model/compile/compile-model.ts';
import { compileHistoryFields, fieldsOfHistory, revisionLeaf } from '../../../model/compile/history-fields.ts';
import { compileKeptWriter } from '../../../model/read/kept-value.ts';
import { readableMembers } from '../../../model/read/members.ts';
import type { SelectedFields } from '../../../model/read/select-fields.ts';
import type { WriteJson } from '../../../model/read/write-json.ts';
import { noRelations } from '../../../model/relations/includable.ts';
import { declined } from '../../../model/value/bson-bytes.ts';
import { dateLeaf } from '../../../model/value/leaves.ts';
import { type DatabaseOptions, openCollection } from '../../../mongo/collection/collection.ts';
import type { Work } from '../../../mongo/driver/work.ts';
import type { Entry, EntryChange } from '../../../mongo/ledger/entry.ts';
import { type ChangeSide, isKept } from '../../../mongo/ledger/kept-values.ts';
import { living } from '../../../mongo/lifecycle/within.ts';
import type { Page } from '../../../mongo/list/build-page.ts';
import {
  type FilterLimits,
  type ListContext,
  type ListQuery,
  type ListRules,
  parseListQuery,
  viewsOf,
} from '../../../mongo/list/parse-list-query.ts';
import { both } from '../../../mongo/predicate/filter-of.ts';
import type { Predicate } from '../../../mongo/predicate/predicate.ts';
import type { StoredRecord } from '../../../mongo/stored-record.ts';
import { entriesOf, modelOfEntries, projectChanges } from './entries.ts';
import { bothWithin } from './entry-scope.ts';

/** The changes of single records, as a view of their model shows them. */
export interface HistoryList {
  /** Reads the parameters of the list. Without `sort`, the last change comes first. */
  parse(parameters: readonly QueryParameter[], asked: ListContext): ListQuery;
  /** Finds a page of the changes of a record whose values were in the scope before and after them. */
  findPage(query: ListQuery, record: StoredRecord, scope: Predicate | undefined, maxPageBytes: number, work: Work): Promise<Page>;
}

/** What the list of changes takes from its resource. */
export interface HistoryRules extends Pick<ListRules, 'paging' | keyof FilterLimits> {
  /** The name of the resource. */
  readonly name: string;
}

const newestFirst: QueryParameter = { name: 'sort', value: '-revision' };

/** Opens the list of the changes that a view of a model shows. */
export function openHistoryList(model: CompiledModel, { name, ...rules }: HistoryRules, database: DatabaseOptions): HistoryList {
  const { fields, revision } = compileHistoryFields(model);
  const entries = modelOfEntries(model);
  const collection = openCollection(entries, database);
  const shown: SelectedFields = {
    paths: [],
    selection: new Map(),
    writeJson: compileEntryWriter(model),
    writeBson() {
      throw declined; // an entry is decoded
    },
  };
  const seenPaths = [...fieldsOfHistory(model).keys()];
  const seen = { paths: { $in: seenPaths } };
  const projection = projectChanges(seenPaths);
  const own: ListRules = {
    resource: [name, 'history', ...viewsOf([model])].join(' '),
    fields,
    lastKey: revision,
    selector: undefined,
    includes: noRelations,
    ...rules,
  };
  return {
    parse(parameters, asked) {
      const isSorted = parameters.some((one) => one.name === 'sort' && one.operator === undefined);
      return { ...parseListQuery(isSorted ? parameters : [...parameters, newestFirst], own, asked), fields: shown };
    },
    findPage(query, record, scope, maxPageBytes, work) {
      const isShown = { $or: [{ change: { $ne: 'patched' } }, seen] }; // what nobody may see is no change
      const within = both({ ...entriesOf(record), ...isShown }, bothWithin(model, scope));
      return collection.findPage(query, living(entries, within), { maxPageBytes, projection, countsAll: true }, work);
    },
  };
}

/**
 * Compiles the writer of an entry. It leaves out all private names and the changes that the view does not show, also if
 * only a part of the value is hidden, and only that has changed.
 */
function compileEntryWriter(model: CompiledModel): WriteJson {
  const fields = new Map(
    [...fieldsOfHistory(model)].map(([path, field]) => [path, { write: compileKeptWriter(field), members: readableMembers(field.node) }]),
  );
  const { toJson: writeRevision } = revisionLeaf(model);
  function writeChange(change: EntryChange): string {
    const { path, beforeErased, afterErased } = change;
    const field = fields.get(path);
    if (!field) return '';
    const textAt = (side: ChangeSide) => {
      const digest = change[`${side}Digest`];
      if (!isKept(change, side, field.members)) return `_digest":${JSON.stringify(digest)}`;
      return change[side] === undefined ? undefined : `":${field.write(change[side])}`;
    };
    const [old, now] = [textAt('before'), textAt('after')];
    if (old !== undefined && old === now && !beforeErased && !afterErased) return '';
    const value = (side: ChangeSide, text: string | undefined) => (text === undefined ? '' : `,"${side}${text}`);
    const erased = (side: ChangeSide, names: readonly string[] | undefined) => (names ? `,"${side}_erased":${JSON.stringify(names)}` : '');
    const sides = value('before', old) + erased('before', beforeErased) + value('after', now) + erased('after', afterErased);
    return `{"path":${JSON.stringify(path)}${sides}}`;
  }
  return function writeEntry(stored) {
    const { revision, at, change, operation, actor, request, changes } = stored as Entry;
    const text = (name: string, value: string | undefined) => (value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`);
    const shown = changes.map(writeChange).filter((one) => one !== '');
    return `{"revision":${writeRevision(revision)},"at":${dateLeaf.toJson(at)},"change":${JSON.stringify(change)}${text('operation', operation)},"actor":${JSON.stringify(actor)}${text('request_id', request)},"changes":[${shown.join(',')}]}`;
  };
}
