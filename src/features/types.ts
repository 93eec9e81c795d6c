import type { HasFields } from '../model/define/infer.ts';
import type { Fields } from '../model/define/schema.ts';
import type { OfAggregate, ReadOfAggregate } from './aggregate/types.ts';
import type { CountersOf, OfCounters, StepsCounters } from './counters/types.ts';
import type { OfExport, ReadOfExport } from './export/types.ts';
import type { OfHistory, ReadOfHistory, ReadsHistory } from './history/types.ts';
import type { OfLinks } from './links/types.ts';
import type { OfLive, ReadOfLive } from './live/types.ts';
import type { Upserts } from './upsert/types.ts';

/**
 * The names of the fields that plug-ins have operations for. Each operation is called after its field, and is a change
 * as a patch is.
 */
// biome-ignore format: a line for each plug-in
export type FieldOperations<F extends Fields> = never
  | CountersOf<F>
;

/** The names of the reads that plug-ins add: keys of `guardsFor` alone. */
// biome-ignore format: a line for each plug-in
export type ReadsOfPlugins = never
  | ReadOfAggregate
  | ReadOfExport
  | ReadOfHistory
  | ReadOfLive
;

/** The options that plug-ins add to resources. `Ctx` is what their functions are given. */
// biome-ignore format: a line for each plug-in
export type OptionsOfPlugins<F extends Fields, Ctx> = object
  & OfAggregate
  & OfCounters<F>
  & OfLinks<F>
  & OfExport
  & OfHistory
  & OfLive<Ctx>
;

/** The methods that plug-ins add to stores. `Id` and `Options` are what a write of one record takes. */
// biome-ignore format: a line for each plug-in
export type MethodsOfPlugins<M extends HasFields, Id, Options> = object
  & StepsCounters<M, Id, Options>
  & ReadsHistory<Id>
  & Upserts<M, Id>
;
