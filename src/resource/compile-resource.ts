import { ConfigurationError } from '../errors.ts';
import { showName } from '../hints.ts';
import type { BeforeHook } from '../middleware/before-hooks.ts';
import { type CachingOptions, cachingOptions } from '../middleware/caching.ts';
import type { Guard } from '../middleware/exchange/context.ts';
import { checkProblems } from '../middleware/exchange/problem-codes.ts';
import type { FindIds } from '../middleware/exchange/searching.ts';
import { aMaxAffected } from '../middleware/filter-query.ts';
import { aScope } from '../middleware/scope.ts';
import { about, once, tryAll } from '../mistakes.ts';
import { type CompiledModel, compileModel } from '../model/compile/compile-model.ts';
import { isObject } from '../model/value/plain-object.ts';
import { aPaging } from '../mongo/list/parse-paging.ts';
import { everything } from '../mongo/query/filter.ts';
import { watchMisfits } from '../mongo/watch-misfits.ts';
import {
  aFunction,
  anArrayOf,
  checkedLater,
  checkNames,
  checkOptions,
  type Legal,
  type LegalOptions,
  orUndefined,
  readOptions,
  trueOrFalse,
} from '../options.ts';
import { checkScopeFields, checkScopeWrites } from './check-scope.ts';
import { readAggregate } from './define/aggregate-options.ts';
import { checkFilterNames, checkFilters } from './define/check-filters.ts';
import { checkSearch } from './define/check-search.ts';
import { compileCounters } from './define/compile-counters.ts';
import { checkEndpoints, compileOperations, hasWritingHandler } from './define/compile-operations.ts';
import type { UnlinkedResource } from './define/compiled-resource.ts';
import { checkDeleted } from './define/deleted-options.ts';
import { listQueryName } from './define/endpoints.ts';
import { readExport } from './define/export-options.ts';
import { checkHistory, historyEndpoint, historyName } from './define/history-options.ts';
import { liveName, readLive } from './define/live-options.ts';
import { copyTable, type FunctionTable, findUncovered, functionsOf, withGroups } from './define/operation-groups.ts';
import { cursorPaging } from './define/paging.ts';
import { relationEndpoints } from './define/relation-endpoints.ts';
import { isWrite, type Operation, operations, type ResourceDefinition, type ServerFieldsOf } from './define/resource-options.ts';
import { aggregateEndpoint, aggregateName, queryName, wholeListIn } from './define/whole-list.ts';

const defaultOperations: readonly Operation[] = ['list', 'get', 'create', 'patch', 'delete'];

const isTable = (value: unknown): boolean => isObject(value) && Object.values(value).every(Array.isArray);

const aPathSegment: Legal = [
  (path) => typeof path === 'string' && /^(?!\.{1,2}$)[\w.~-]+$/.test(path),
  'one path segment of letters, digits, `-`, `.`, `_` and `~`, other than `.` and `..`',
];

const aListOfRelations = anArrayOf("relations, such as ['tasks']", (name) => typeof name === 'string');

const legal: LegalOptions<ResourceDefinition> = {
  model: checkedLater,
  path: orUndefined(aPathSegment),
  description: [(value) => typeof value === 'string', 'a string'],
  ops: anArrayOf('operations'),
  guards: anArrayOf('functions'),
  guardsFor: [isTable, 'an object with an array of functions for each operation'],
  scope: aScope,
  scopeWrites: trueOrFalse,
  scopeFields: anArrayOf('field names'),
  serverFields: [(value) => typeof value === 'function' || isObject(value), 'a function, or an object of `create` and `update`'],
  explicitWrites: trueOrFalse,
  mergePatch: trueOrFalse,
  preconditionRequired: trueOrFalse,
  maxAffected: orUndefined(aMaxAffected),
  ...cachingOptions,
  paging: aPaging,
  include: checkedLater,
  through: checkedLater,
  nested: aListOfRelations,
  links: aListOfRelations,
  fields: trueOrFalse,
  filters: anArrayOf("filters, such as ['status = … AND total >= …']", (filter) => typeof filter === 'string'),
  export: checkedLater,
  aggregate: checkedLater,
  search: [aFunction[0], 'a function that returns ids'],
  live: checkedLater,
  history: trueOrFalse,
  operations: [isObject, 'an object with an operation for each name'],
  counters: anArrayOf("counters, such as ['stock']", (name) => typeof name === 'string'),
  deleted: [isObject, 'an object of guards'],
  before: [isTable, 'an object with an array of functions for each operation'],
  within: [isTable, 'an object with an array of functions for each operation'],
  after: [isTable, 'an object with an array of functions for each operation'],
};

const legalServerFields: LegalOptions<ServerFieldsOf<never, never>> = { create: aFunction, update: aFunction };

/**
 * Compiles a resource by itself; `index` is its place among the resources of the api. Throws a
 * {@link ConfigurationError} that names the resource, what is wrong and what is legal, for all of its options at once.
 */
export function compileResource(definition: ResourceDefinition, index: number): UnlinkedResource {
  const path = pathOf(definition);
  const where = path === undefined ? `\`resources[${index}]\`` : `resource \`${path}\``;
  return about(where, () => compileParts(definition, where));
}

function pathOf({ path, model }: Partial<ResourceDefinition>): string | undefined {
  const found: unknown = path ?? model?.collection;
  return found === undefined ? undefined : showName(found);
}

function compileParts(definition: ResourceDefinition, where: string): UnlinkedResource {
  const given = (...names: readonly (keyof ResourceDefinition)[]) => readOptions(definition, names, legal, where);
  const compiledModel = once(() => watchMisfits(compileModel(given('model').model)));
  const standard = once(() => readOps(given('ops'), where));
  const custom = once(() => compileOperations(given('operations').operations ?? {}, where));
  const counters = once(() => compileCounters(given('counters', 'explicitWrites', 'operations'), standard(), compiledModel(), where));
  const stepped = once(() => counters().map(({ name }) => name));
  const writing = once(() =>
    custom()
      .filter(hasWritingHandler)
      .map(({ name }) => name),
  );
  const names = once(() => [...standard(), ...Object.keys(given('operations').operations ?? {})]);
  const ofList = once(() => ({
    ops: standard(),
    custom: [...custom().map(({ name }) => name), ...stepped()],
    hasHooks: functionsOf(given('after').after ?? {}, 'list').length > 0,
    model: compiledModel(),
  }));
  const exporting = once(() => readExport(given('export').export, ofList(), where));
  const aggregating = once(() => readAggregate(given('aggregate').aggregate, ofList(), where));
  const living = once(() => readLive(given('live').live, ofList(), where));
  const whole = once(() => wholeListIn(given('export', 'aggregate')));
  const hasHistory = once(() => given('history').history ?? false);
  const ofReads = once(() => [
    ...(standard().includes('list') ? [queryName] : []),
    ...whole(),
    ...(living() ? [liveName] : []),
    ...(hasHistory() ? [historyName] : []),
  ]);
  const further = once(() => [
    ...(whole().includes(aggregateName) ? [{ name: aggregateName, ...aggregateEndpoint }] : []),
    ...(hasHistory() ? [historyEndpoint] : []),
  ]);
  const [, , model, ops, own, ofCounters] = tryAll([
    () => checkOptions(definition, legal, where),
    () => checkPath(given('path'), compiledModel(), where),
    compiledModel,
    standard,
    custom,
    counters,
    () =>
      checkEndpoints(standard(), [...further(), ...custom(), ...counters(), ...relationEndpoints(given('nested', 'links'), where)], where),
    () => checkGuards(given('guards').guards ?? [], 'guards', where),
    () =>
      checkTable(given('guardsFor').guardsFor ?? {}, 'guardsFor', [...withGroups(names(), stepped()), ...ofReads()], where, checkGuards),
    exporting,
    aggregating,
    living,
    () => checkHistory(given('history', 'scope', 'scopeFields'), ofList(), compiledModel(), where),
    () => checkServerFields(given('serverFields').serverFields, where),
    () => checkTable(given('before').before ?? {}, 'before', withGroups(standard().filter(isWrite), stepped()), where, checkBefore),
    () =>
      checkTable(
        given('within').within ?? {},
        'within',
        [...withGroups(standard().filter(isWrite), stepped()), ...writing()],
        where,
        checkFunctions,
      ),
    () => checkTable(given('after').after ?? {}, 'after', withGroups(names(), stepped()), where, checkFunctions),
    () => checkFilterNames(compiledModel(), standard(), definition),
    () => checkSearch(given('search', 'scopeFields'), standard(), compiledModel(), where),
    () => checkDeleted(given('deleted', 'paging'), standard(), compiledModel(), where),
    () => checkFilters(compiledModel(), standard(), where),
    () => checkScopeWrites(given('scope', 'scopeWrites'), where),
    () => checkScopeFields(given('scope', 'scopeFields'), compiledModel(), where),
  ]);
  const { path = model.collection, include = [], through = [], nested = [], links = [], serverFields = {} } = definition;
  // Copies, here and below: chains are made later, and what an app has done to its arrays by then must open nothing.
  const guards = [...(definition.guards ?? [])];
  const guardsFor = copyTable(definition.guardsFor);
  const before = copyTable(definition.before);
  const within = copyTable(definition.within);
  const after = copyTable(definition.after);
  return {
    path,
    description: definition.description ?? `Records of ${model.name}.`,
    model,
    ops,
    shownBy: (['get', 'list'] as const).find((operation) => ops.includes(operation)),
    operations: [...own, ...ofCounters],
    scope: definition.scope ?? (() => everything),
    isScoped: definition.scope !== undefined,
    scopeWrites: definition.scopeWrites ?? true,
    scopeFields: definition.scopeFields && [...definition.scopeFields],
    serverFields: typeof serverFields === 'function' ? { create: serverFields } : { ...serverFields },
    explicitWrites: definition.explicitWrites ?? false,
    mergePatch: definition.mergePatch ?? true,
    preconditionRequired: definition.preconditionRequired ?? false,
    maxAffected: definition.maxAffected ?? 1_000,
    caching: cachingOf(definition),
    paging: { ...(definition.paging ?? cursorPaging()) },
    fields: definition.fields ?? false,
    filters: [...(definition.filters ?? [])],
    export: exporting(),
    aggregate: aggregating(),
    search: definition.search as FindIds | undefined,
    live: living(),
    history: hasHistory(),
    include: copyList(include),
    through: copyList(through),
    nested: [...nested],
    links: [...links],
    deletedGuards: definition.deleted && [...definition.deleted.guards],
    guardsOf: (operation) => {
      const isQuery = operation === listQueryName;
      const whose = isQuery || whole().includes(operation) ? 'list' : operation === historyName && hasHistory() ? 'get' : undefined;
      const ofOther = whose ? functionsOf<Guard<never>>(guardsFor, whose) : [];
      return [...new Set([...guards, ...ofOther, ...functionsOf<Guard<never>>(guardsFor, isQuery ? queryName : operation, stepped())])];
    },
    beforeOf: (operation) => functionsOf(before, operation, stepped()),
    withinOf: (operation) => functionsOf(within, operation, stepped()),
    hooksOf: (operation) => functionsOf(after, operation, stepped()),
    uncovered: [
      ...findUncovered('guardsFor', guardsFor, ops, stepped(), guards),
      ...findUncovered('before', before, ops.filter(isWrite), stepped()),
      ...findUncovered('within', within, ops.filter(isWrite), stepped()),
    ],
  };
}

/** What is no list is refused where the relations are compiled. */
function copyList<List extends readonly string[]>(list: List): List {
  return (Array.isArray(list) ? [...list] : list) as List;
}

function cachingOf({ cacheControl, vary }: ResourceDefinition): CachingOptions {
  return { ...(cacheControl !== undefined && { cacheControl }), ...(vary && { vary: [...vary] }) };
}

function readOps({ ops = defaultOperations }: ResourceDefinition, where: string): readonly Operation[] {
  checkNames('operation in `ops`', ops, operations, where);
  return [...ops];
}

/** Checks `guardsFor`, `before`, `within` or `after`: arrays of functions by the names of operations and groups. */
function checkTable(table: FunctionTable, option: string, names: readonly string[], where: string, check: typeof checkFunctions): void {
  tryAll([
    () => checkNames(`operation in \`${option}\``, Object.keys(table), names, where),
    () => refuseAmbiguous(table, option, names, where),
    ...Object.entries(table).map(
      ([name, functions]) =>
        () =>
          check(functions ?? [], `${option}.${name}`, where),
    ),
  ]);
}

/** A custom operation may have the name of a group, or be called `query`, but a key must not stand for both. */
function refuseAmbiguous(table: FunctionTable, option: string, names: readonly string[], where: string): void {
  const twice = Object.keys(table).find((key) => names.indexOf(key) !== names.lastIndexOf(key));
  if (twice === undefined) return;
  const other = twice === queryName ? 'the query of its list' : 'a group of operations';
  throw new ConfigurationError(
    `\`${option}.${twice}\` of ${where} can mean a custom operation or ${other}: give the custom operation another name.`,
  );
}

function checkGuards(guards: readonly unknown[], option: string, where: string): void {
  checkFunctions(guards, option, where);
  for (const guard of guards) checkProblems(guard as Guard<never>, `a guard of ${where}`);
}

function checkBefore(hooks: readonly unknown[], option: string, where: string): void {
  checkFunctions(hooks, option, where);
  for (const hook of hooks) checkProblems(hook as BeforeHook<never, never>, `a hook in \`${option}\` of ${where}`);
}

function checkServerFields(serverFields: unknown, where: string): void {
  if (isObject(serverFields)) checkOptions(serverFields, legalServerFields, `\`serverFields\` of ${where}`);
}

/** The middlewares would refuse them too, but do not know the resource. */
function checkFunctions(functions: readonly unknown[], option: string, where: string): void {
  const wrong = functions.find((one) => typeof one !== 'function');
  if (functions.includes(wrong))
    throw new ConfigurationError(`\`${option}\` of ${where} must be an array of functions; it has ${describe(wrong)}.`);
}

function describe(value: unknown): string {
  return typeof value === 'string' ? `\`'${value}'\`` : `\`${showName(value)}\``;
}

/** Not every name of a collection is a path. */
function checkPath({ path }: ResourceDefinition, { collection }: CompiledModel, where: string): void {
  const [isPath, words] = aPathSegment;
  if (path === undefined && !isPath(collection))
    throw new ConfigurationError(`\`path\` of ${where} cannot be left out: the name of its collection is not ${words}.`);
}
