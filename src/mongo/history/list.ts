import type { QueryParameter } from '../../http/query-string.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { compileHistoryFields, fieldsOfHistory, revisionLeaf } from '../../model/compile/history-fields.ts';
import { compileKeptWriter } from '../../model/read/kept-value.ts';
import type { SelectedFields } from '../../model/read/select-fields.ts';
import type { WriteJson } from '../../model/read/write-json.ts';
import { noRelations } from '../../model/relations/includable.ts';
import { declined } from '../../model/value/bson-bytes.ts';
import { dateLeaf } from '../../model/value/leaves.ts';
import { type DatabaseOptions, openCollection } from '../collection/collection.ts';
import type { Work } from '../driver/work.ts';
import type { Entry, EntryChange } from '../ledger/entry.ts';
import type { Page } from '../list/build-page.ts';
import { type ListContext, type ListQuery, type ListRules, parseListQuery, viewsOf } from '../list/parse-list-query.ts';
import { both, type Filter } from '../query/filter.ts';
import type { StoredRecord } from '../stored-record.ts';
import { entriesOf, modelOfEntries } from './entries.ts';
import { bothWithin } from './entry-scope.ts';

/** The changes of single records, as a view of their model shows them. */
export interface HistoryList {
  /** Reads the parameters of the list. Without `sort`, the last change comes first. */
  parse(parameters: readonly QueryParameter[], asked: ListContext): ListQuery;
  /** Finds a page of the changes of a record whose values were in the scope before and after them. */
  findPage(query: ListQuery, record: StoredRecord, scope: Filter | undefined, maxPageBytes: number, work: Work): Promise<Page>;
}

/** What the list of changes takes from its resource. */
export interface HistoryRules extends Pick<ListRules, 'paging' | 'maxFilterValues' | 'maxPrefix' | 'maxSortKeys'> {
  /** The name of the resource. */
  readonly name: string;
}

const newestFirst: QueryParameter = { name: 'sort', value: '-revision' };

/** Opens the list of the changes that a view of a model shows. */
export function openHistoryList(model: CompiledModel, { name, ...rules }: HistoryRules, database: DatabaseOptions): HistoryList {
  const { fields, revision } = compileHistoryFields(model);
  const collection = openCollection(modelOfEntries(model), database);
  const shown: SelectedFields = {
    paths: ['revision', 'at', 'change', 'operation', 'actor', 'request', 'changes'],
    selection: new Map(),
    writeJson: compileEntryWriter(model),
    writeBson() {
      throw declined; // an entry is decoded
    },
  };
  const seen = { paths: { $in: [...fieldsOfHistory(model).keys()] } };
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
      return collection.findPage(query, within, { maxPageBytes }, work);
    },
  };
}

/**
 * Compiles the writer of an entry. It leaves out all private names and the changes that the view does not show, also if
 * only a part of the value is hidden, and only that has changed.
 */
function compileEntryWriter(model: CompiledModel): WriteJson {
  const writers = new Map([...fieldsOfHistory(model)].map(([path, field]) => [path, compileKeptWriter(field)]));
  const { toJson: writeRevision } = revisionLeaf(model);
  function writeChange({ path, before, after, beforeDigest, afterDigest, beforeErased, afterErased }: EntryChange): string {
    const write = writers.get(path);
    if (!write) return '';
    const [old, now] = [before, after].map((stored) => (stored === undefined ? undefined : write(stored)));
    if (old !== undefined && old === now && !beforeErased && !afterErased) return '';
    const value = (side: string, text: string | undefined) => (text === undefined ? '' : `,"${side}":${text}`);
    const digest = (side: string, text: string | undefined) => (text === undefined ? '' : `,"${side}_digest":${JSON.stringify(text)}`);
    const erased = (side: string, names: readonly string[] | undefined) => (names ? `,"${side}_erased":${JSON.stringify(names)}` : '');
    const was = value('before', old) + digest('before', beforeDigest) + erased('before', beforeErased);
    const sides = was + value('after', now) + digest('after', afterDigest) + erased('after', afterErased);
    return `{"path":${JSON.stringify(path)}${sides}}`;
  }
  return function writeEntry(stored) {
    const { revision, at, change, operation, actor, request, changes } = stored as Entry;
    const text = (name: string, value: string | undefined) => (value === undefined ? '' : `,"${name}":${JSON.stringify(value)}`);
    const shown = changes.map(writeChange).filter((one) => one !== '');
    return `{"revision":${writeRevision(revision)},"at":${dateLeaf.toJson(at)},"change":${JSON.stringify(change)}${text('operation', operation)},"actor":${JSON.stringify(actor)}${text('request_id', request)},"changes":[${shown.join(',')}]}`;
  };
}
