import type { Db } from 'mongodb';
import type { MethodsOfApis, OptionsOfApis } from '../features/api-types.ts';
import type { ResourceMiddleware } from '../middleware/exchange/context.ts';
import type { AnswersAgain } from '../middleware/exchange/replays.ts';
import type { CompiledModel } from '../model/compile/compile-model.ts';
import type { Model } from '../model/define/define-model.ts';
import type { Keep } from '../mongo/keeps/keep.ts';
import type { DescribesItself } from '../openapi/api-description.ts';
import type { Components } from '../openapi/components.ts';
import type { DocumentPart } from '../openapi/document.ts';
import type { OpenRemovals } from '../queues/removal-queue.ts';
import type { ApiSettings } from '../resource/define/compiled-resource.ts';
import type { ResourceDefinition } from '../resource/define/resource-options.ts';
import type { ServedResource } from '../resource/serve-resource.ts';
import type { ApiOptions, ConcurrencyOptions } from './api-options.ts';
import type { Dispatch } from './dispatch.ts';
import type { Route } from './route.ts';

/** What a plug-in adds to apis. */
export interface ApiPlugin {
  /** The names of its options. */
  readonly options: readonly (keyof OptionsOfApis<unknown, unknown>)[];
  /** Checks its options, and says what it adds to an api. Undefined if they ask for nothing. */
  open(api: ApiParts): AddedToApi | undefined;
}

/** What a plug-in adds to an api. */
export interface AddedToApi {
  /** Whether it carries out writes of clients in a transaction. */
  readonly carriesOut?: boolean;
  /** What answers requests that come again as the first time. One plug-in at most has that. */
  again?(): AnswersAgain;
  /** The parameters that it gives to what runs through a chain. */
  parametersOf?(chain: readonly ResourceMiddleware[], components: Components): readonly DocumentPart[];
  /** What it shares among all resources, behind the function that makes it: rows find it by `sharedOf`. */
  readonly shared?: readonly [make: (...of: never[]) => unknown, made: unknown];
  /** Its own operations. */
  readonly serves?: OwnOperations;
  /** Where it keeps something of records. */
  keeps?(): readonly Keep[];
  /** The models of its collections, for the plan of their indexes. */
  models?(): readonly Model[];
  /** Its methods of the api. */
  readonly methods?: Partial<MethodsOfApis<unknown>>;
  /** Tells its streams to end, when the api takes no more requests. */
  endStreams?(): void;
  /** Ends what it has under way when the api is closed, within so many milliseconds. */
  close?(timeout: number): Promise<unknown>;
}

/** The operations of a plug-in that are about no resource. */
export interface OwnOperations extends DescribesItself {
  /** The first segment of their paths below the prefix, which no resource may have. */
  readonly path: string;
  /** The rest of the sentence for a resource that has it: `the api serves …`. */
  readonly what: string;
  routes(): readonly Route[];
}

/** What a plug-in knows of an api that is being compiled. Its functions are for later: `open` calls none of them. */
export interface ApiParts {
  readonly options: ApiOptions<ResourceDefinition>;
  /** The places of all clients together, and of each. */
  concurrency(): Partial<ConcurrencyOptions<never>>;
  settings(): ApiSettings;
  resources(): readonly ServedResource[];
  /** What runs before every operation. */
  before(): readonly ResourceMiddleware[];
  dispatch(): Dispatch;
  db(): Db;
  maxTimeMS(): number;
  /** All of its models. */
  models(): readonly CompiledModel[];
  /** What opens the queue of its removals. Undefined if it has none. */
  removalQueue(): Promise<OpenRemovals | undefined>;
  /** Whether `close` was called. */
  isClosing(): boolean;
}
