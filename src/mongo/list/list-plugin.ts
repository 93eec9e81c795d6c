import type { Document as BsonDocument } from 'mongodb';
import type { ErrorSink } from '../../http/query-errors.ts';
import type { QueryParameter } from '../../http/query-string.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { QueryFields } from '../../model/compile/query-fields.ts';
import type { Filter, Predicate } from '../predicate/predicate.ts';
import type { StoredRecord } from '../stored-record.ts';
import type { Paging } from './parse-paging.ts';
import type { SearchRules } from './parse-search.ts';

/** What a plug-in adds to lists: parameters that find records in a way of their own. */
export interface ListPlugin {
  /** Whether a list has them whose clients know these fields. */
  isIn(fields: QueryFields): boolean;
  readonly parameters: readonly PluginParameter[];
  /** The members that it adds to `page` of an answer: their JSON Schemas. */
  readonly ofPage?: Readonly<Record<string, object>>;
  /** Loads what reads the parameters, and all that follows from them. Only requests that have one load it. */
  load(): Promise<ReadParameters>;
}

/** A parameter of a plug-in. No filterable field may have such a name. */
interface PluginParameter {
  readonly name: string;
  /** Whether it decides which records there are: then what tells of a list without its pages has it, too. */
  readonly finds: boolean;
  /** How it is described to clients. */
  describe(fields: QueryFields): readonly DescribedParameter[];
}

/** The description of a parameter, or of one of the forms that it has. */
export interface DescribedParameter {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Reads the parameters of a plug-in: those of a list, or of what tells of one without its pages. */
export type ReadParameters = (given: readonly QueryParameter[], rules: PluginRules, errors: ErrorSink) => FurtherRead;

/** Reads the parameters of all plug-ins that a request has. */
export type ReadFurther = (given: readonly QueryParameter[], errors: ErrorSink) => FurtherRead;

/** What those know who read the parameters of plug-ins. */
export interface PluginRules {
  /** The fields of the records themselves. */
  readonly own: QueryFields;
  /** The fields that filters may name. */
  readonly fields: QueryFields;
  /** How `q` searches. Undefined if there is no such parameter. */
  readonly search?: SearchRules | undefined;
  /** Undefined for what has no pages. */
  readonly paging?: Paging;
  /** Whether the list is answered whole. @default false */
  readonly isWhole?: boolean;
  /** Whether its first page is kept true. @default false */
  readonly isLive?: boolean;
}

/** What the parameters of plug-ins ask for, and the others of the request. */
export interface FurtherRead {
  readonly asked: Asked | undefined;
  readonly others: readonly QueryParameter[];
}

/** What parameters of plug-ins ask for. */
export interface Asked {
  /** What the records fulfil. */
  readonly within: Predicate;
  /** The order of the records, in place of that of `sort`: then the list is one page. */
  readonly order?: OwnOrder;
}

/** An order that is no sort by fields. */
export interface OwnOrder {
  /** The stages that find the records that fulfil a filter, in the place of a `$match`. */
  find(filter: Filter): readonly BsonDocument[];
  /** What these stages add to each record, by which they are in order. The id comes behind it. */
  readonly key: string;
  /** The records that are there for a command that has failed: none, or it throws. */
  recover(error: unknown, model: CompiledModel): StoredRecord[];
  /** What `page` of the answer tells of its records, beside what every page does. */
  describe?(records: readonly StoredRecord[]): object;
}
