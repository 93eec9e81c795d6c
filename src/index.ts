export type { Api, KoaRouter } from './api/api.ts';
export type { ApiOptions, ConcurrencyOptions, OpenapiOptions } from './api/api-options.ts';
export type { CloseOptions } from './api/close.ts';
export { diagram } from './api/diagram.ts';
export type { FetchOptions, RequestHandler } from './api/in-process.ts';
export { openapiDocument, openapiText } from './api/openapi-document.ts';
export type { PlainOptions } from './api/plain-adapter.ts';
export { applyIndexes, type CreatedIndexes, planIndexes } from './api/plan-indexes.ts';
export { applyValidators, planValidators } from './api/plan-validators.ts';
export type { Resource } from './api/resource.ts';
export { type Service, type ServiceOptions, service } from './api/service.ts';
export {
  ConfigurationError,
  PermanentFailure,
  Problem,
  type ProblemCode,
  type ProblemDocument,
  type ProblemOptions,
  Unauthorized,
} from './errors.ts';
export { type AggregateOptions, aggregate } from './features/aggregate/aggregate.ts';
export type { Aggregate } from './features/aggregate/types.ts';
export type { BatchOptions } from './features/batch/api-types.ts';
export type { CounterOptions } from './features/counters/field.ts';
export type { DeliverOptions, Delivery, DeliveryObservation } from './features/delivery/deliver.ts';
export { type ExportRecordsOptions, exportRecords } from './features/export/export-records.ts';
export type { FieldChange, HistoryOptions, RecordChange } from './features/history/types.ts';
export type { IdempotencyOptions } from './features/idempotency/api-types.ts';
export { type LiveOptions, live } from './features/live/live.ts';
export { type LiveReadOptions, liveRead } from './features/live/live-read.ts';
export { type LiveStreams, type LiveStreamsOptions, liveStreams, type RecheckOptions } from './features/live/live-streams.ts';
export type { NearPolicy } from './features/near/types.ts';
export type { ModelSearch, SearchLanguage } from './features/search/types.ts';
export type { Upserted } from './features/upsert/types.ts';
export { affected } from './middleware/affected.ts';
export { type AfterHook, afterHooks } from './middleware/after-hooks.ts';
export { type AnswerOptions, answer } from './middleware/answer.ts';
export { answerTimeout } from './middleware/answer-timeout.ts';
export { type Authenticate, authenticate } from './middleware/authenticate.ts';
export { type BeforeHook, beforeHooks } from './middleware/before-hooks.ts';
export { bodyLimit } from './middleware/body-limit.ts';
export { type CachingOptions, caching } from './middleware/caching.ts';
export { type BodyMiddleware, type BodyType, checkBody } from './middleware/check-body.ts';
export { type CheckCreateOptions, checkCreate, type ServerFields } from './middleware/check-create.ts';
export { type CheckPatchOptions, checkPatch } from './middleware/check-patch.ts';
export { type CheckPutOptions, checkPut } from './middleware/check-put.ts';
export { type CrossOriginOptions, crossOrigin } from './middleware/cross-origin.ts';
export { deleted } from './middleware/deleted.ts';
export type {
  AnswersProblems,
  Context,
  Guard,
  HandlerResult,
  RecordContext,
  ResourceMiddleware,
  ScopeFunction,
  Slots,
} from './middleware/exchange/context.ts';
export type { KoaContext, KoaMiddleware, KoaNext } from './middleware/exchange/koa-context.ts';
export { type StreamPlaces, streamPlaces } from './middleware/exchange/stream-places.ts';
export type { RecordsPage } from './middleware/exchange/write-records.ts';
export { fields } from './middleware/fields.ts';
export { type FilterQueryOptions, filterQuery } from './middleware/filter-query.ts';
export { findIncluded } from './middleware/find-included.ts';
export { type FindPageOptions, findPage } from './middleware/find-page.ts';
export { type FindOptions, type FindRecordOptions, findRecord } from './middleware/find-record.ts';
export { guards } from './middleware/guards.ts';
export { type Handler, type HandlerOptions, handler } from './middleware/handler.ts';
export { type IfMatchOptions, ifMatch } from './middleware/if-match.ts';
export { type InFlightOptions, inFlightLimit } from './middleware/in-flight-limit.ts';
export { include } from './middleware/include.ts';
export { type InsertOptions, insert } from './middleware/insert.ts';
export { type JsonBodyOptions, jsonBody } from './middleware/json-body.ts';
export { type ListQueryOptions, listQuery } from './middleware/list-query.ts';
export { noContent } from './middleware/no-content.ts';
export { notModified } from './middleware/not-modified.ts';
export { type Observation, type Observe, observe } from './middleware/observe.ts';
export { page } from './middleware/page.ts';
export { type ProblemsOptions, problems, type WriteProblem } from './middleware/problems.ts';
export { type QueryBodyOptions, queryBody } from './middleware/query-body.ts';
export { type RecordOptions, record } from './middleware/record.ts';
export { records } from './middleware/records.ts';
export { compileIncludes, type IncludeOptions, type Includes } from './middleware/relations/compile-includes.ts';
export { compileReferences, type ReferencesOptions } from './middleware/relations/compile-references.ts';
export { compileThrough, type Through, type ThroughLimits, type ThroughOptions } from './middleware/relations/compile-through.ts';
export type { NarrowedInclude } from './middleware/relations/narrowed-includes.ts';
export type { RelationTarget } from './middleware/relations/relation-targets.ts';
export { remove } from './middleware/remove.ts';
export { removeMany } from './middleware/remove-many.ts';
export { requestId } from './middleware/request-id.ts';
export { requestTimeout } from './middleware/request-timeout.ts';
export { restore } from './middleware/restore.ts';
export { rules } from './middleware/rules.ts';
export { scope } from './middleware/scope.ts';
export { stores } from './middleware/stores.ts';
export { type TypedQueryOptions, typedQuery } from './middleware/typed-query.ts';
export { update } from './middleware/update.ts';
export { updateMany } from './middleware/update-many.ts';
export type { CallerRule, CallerRules } from './middleware/views/asked-rules.ts';
export type { View } from './middleware/views/view.ts';
export { type WithinHook, type Written, withinTransaction } from './middleware/within-transaction.ts';
export type { IndexKey } from './model/compile/model-index.ts';
export type { ComputedField } from './model/define/computed.ts';
export {
  defineModel,
  type Extended,
  type ExtensionOptions,
  type FieldsIndex,
  type Model,
  type ModelIndex,
  type ModelOptions,
} from './model/define/define-model.ts';
export type { ObjectField, Overlaid } from './model/define/field-types.ts';
export type { Given } from './model/define/given.ts';
export type { HasManyField, HasManyOptions } from './model/define/has-many.ts';
export type { ChangesDraft, ComputedOf, Create, Document, NewDocument, Patch, Read, TypesFrom } from './model/define/infer.ts';
export type {
  BinaryOptions,
  BooleanOptions,
  DateOptions,
  DecimalOptions,
  FromOptions,
  Int64Options,
  NumberOptions,
  StringOptions,
  UuidOptions,
} from './model/define/leaf-options.ts';
export type { LedgerActor, LedgerCaller, ModelHistory, ModelOutbox } from './model/define/ledger.ts';
export type { Allowed, Policy } from './model/define/policy.ts';
export type {
  AnySchema,
  ArrayOptions,
  Check,
  Field,
  FieldOptions,
  FieldSchema,
  Fields,
  MapOptions,
  NullableOptions,
  ObjectOptions,
  RawSchema,
  RefOptions,
  TypeBoxSchema,
} from './model/define/schema.ts';
export type { StandardSchema } from './model/define/standard-schema.ts';
export { t } from './model/define/t.ts';
export type { ArrayTypes, FieldTypes, LeafTypes, MapTypes, NullableTypes, ReferenceTypes } from './model/define/value-types.ts';
export type { Operator } from './model/operators/operators.ts';
export type { Point } from './model/value/point-leaf.ts';
export type { WriteRules } from './model/write/compile-writes.ts';
export type { DatabaseOptions } from './mongo/collection/collection.ts';
export type { Database } from './mongo/driver/database.ts';
export type { CollectionPlan, ExistingIndex, IndexPlan, MatchedIndex } from './mongo/indexes/index-plan.ts';
export type { IndexOptions, PlannedIndex } from './mongo/indexes/wanted.ts';
export type { ChangedField } from './mongo/ledger/changed-fields.ts';
export type { CursorPaging, OffsetPaging, Paging } from './mongo/list/parse-paging.ts';
export { everything } from './mongo/predicate/read-scope.ts';
export type { RowScope } from './mongo/predicate/row-scope.ts';
export type { References } from './mongo/relations/references.ts';
export { StoredRecord } from './mongo/stored-record.ts';
export { type CollectionValidator, collectionValidator } from './mongo/validators/collection-validator.ts';
export type { ExistingValidator, ValidatorComparison, ValidatorOptions, ValidatorPlan } from './mongo/validators/validator-plan.ts';
export type { DescriptionOptions } from './openapi/api-description.ts';
export type { Contact, Info, License, OauthFlow, OpenapiDocument, SecurityRequirement, SecurityScheme } from './openapi/document.ts';
export { toJsonSchema } from './openapi/schemas/to-json-schema.ts';
export type { Event } from './queues/outbox.ts';
export type { RetryOptions } from './queues/queue-options.ts';
export type {
  CustomMethod,
  CustomOperation,
  HandlerContext,
  OperationMiddleware,
  RecordAccess,
  RequestContext,
} from './resource/define/custom-operation.ts';
export type { DeletedOptions } from './resource/define/deleted-options.ts';
export type { CursorPagingOptions, OffsetPagingOptions } from './resource/define/list-options.ts';
export { cursorPaging, offsetPaging } from './resource/define/paging.ts';
export type { ResourceOptions } from './resource/define/resource-options.ts';
export type { ScopeFilter } from './resource/define/scope-result.ts';
export type { Operation, OperationGroup } from './resource/define/standard-operations.ts';
export type { FieldError, FieldErrorInput, Rule } from './rules.ts';
export { openStore } from './store/open-store.ts';
export type { DeletePlan, PlanDelete, PlannedRecords } from './store/plan-delete.ts';
export type {
  AffectedRecords,
  Created,
  DocumentChanges,
  FindManyOptions,
  Id,
  IfMatch,
  MaxOptions,
  OpenStoreOptions,
  RunTransaction,
  ScopeOptions,
  Store,
  StoreFilter,
  StoreOf,
  StoreScope,
  TransactionContext,
} from './store/store.ts';
export { withFolds } from './store/with-folds.ts';
