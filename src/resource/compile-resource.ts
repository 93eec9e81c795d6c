import { ConfigurationError } from '../errors.ts';
import { resourcePlugins } from '../features/resources.ts';
import type { OptionsOfPlugins } from '../features/types.ts';
import { showName } from '../hints.ts';
import { type CachingOptions, cachingOptions } from '../middleware/caching.ts';
import { legalOfLists, pickOfLists } from '../middleware/exchange/further-parameters.ts';
import type { IncludeEntry } from '../middleware/relations/narrowed-includes.ts';
import { aScope } from '../middleware/scope.ts';
import { about, once, tryAll } from '../mistakes.ts';
import { checkBlindMerges } from '../model/compile/check-blind-merges.ts';
import { type CompiledModel, compileModel } from '../model/compile/compile-model.ts';
import { isObject } from '../model/value/plain-object.ts';
import type { WriteRules } from '../model/write/access.ts';
import { aMaxAffected } from '../mongo/collection/write-many.ts';
import { aPaging } from '../mongo/list/parse-paging.ts';
import { everything } from '../mongo/predicate/read-scope.ts';
import { watchMisfits } from '../mongo/watch-misfits.ts';
import {
  aFunction,
  anArrayOf,
  checkedLater,
  checkNames,
  checkOptions,
  defaultOf,
  type Legal,
  type LegalOptions,
  orUndefined,
  readOptions,
  trueOrFalse,
} from '../options.ts';
import { checkScopeFields, checkScopeWrites } from './check-scope.ts';
import { checkEndpoints } from './define/check-endpoints.ts';
import { checkFilterNames, checkFilters } from './define/check-filters.ts';
import { checkCommon } from './define/common-functions.ts';
import { compileOperations, hasWritingHandler } from './define/compile-operations.ts';
import type { UnlinkedResource } from './define/compiled-resource.ts';
import { checkDeleted } from './define/deleted-options.ts';
import { aTable, checkGuards, checkTable, compileTables, type TableOptions, tableNames } from './define/function-tables.ts';
import { functionsOf } from './define/operation-groups.ts';
import { cursorPaging } from './define/paging.ts';
import { endpointsOfNested } from './define/relation-endpoints.ts';
import type { ResourceDefinition, ServerFieldsOf } from './define/resource-options.ts';
import type { ResourceParts } from './define/resource-parts.ts';
import {
  defaultOperations,
  isList,
  isRead,
  isWrite,
  mergesBody,
  type Operation,
  operations,
  standardOperations,
} from './define/standard-operations.ts';
import { queryName, refuseNamesOfReads } from './define/whole-list.ts';

const aPathSegment: Legal = [
  (path) => typeof path === 'string' && /^(?!\.{1,2}$)[\w.~-]+$/.test(path),
  'one path segment of letters, digits, `-`, `.`, `_` and `~`, other than `.` and `..`',
];

const legalOfPlugins: LegalOptions<OptionsOfPlugins<never, never>> = Object.assign({}, ...resourcePlugins.map((one) => one.legal));

const legal: LegalOptions<ResourceDefinition> = {
  model: checkedLater,
  path: orUndefined(aPathSegment),
  description: [(value) => typeof value === 'string', 'a string'],
  ops: anArrayOf('operations'),
  guards: anArrayOf('functions'),
  guardsFor: aTable,
  scope: aScope,
  scopeWrites: trueOrFalse,
  scopeFields: anArrayOf('field names'),
  serverFields: [(value) => typeof value === 'function' || isObject(value), 'a function, or an object of `create` and `update`'],
  explicitWrites: trueOrFalse,
  mergePatch: trueOrFalse,
  preconditionRequired: trueOrFalse,
  maxAffected: aMaxAffected,
  ...cachingOptions,
  paging: aPaging,
  include: checkedLater,
  through: checkedLater,
  nested: anArrayOf("relations, such as ['tasks']", (name) => typeof name === 'string'),
  fields: trueOrFalse,
  filters: anArrayOf("filters, such as ['status = … AND total >= …']", (filter) => typeof filter === 'string'),
  ...legalOfLists,
  operations: [isObject, 'an object with an operation for each name'],
  ...legalOfPlugins,
  deleted: [isObject, 'an object of guards'],
  before: aTable,
  within: aTable,
  after: aTable,
};

const legalServerFields: LegalOptions<ServerFieldsOf<never, never>> = { create: aFunction, update: aFunction };

/**
 * Compiles a resource by itself; `index` is its place among the resources of the api, and `common` are the functions
 * that all of them have. Throws a
 * {@link ConfigurationError} that names the resource, what is wrong and what is legal, for all of its options at once.
 */
export function compileResource(definition: ResourceDefinition, index: number, common: TableOptions = {}): UnlinkedResource {
  const path = pathOf(definition);
  const where = path === undefined ? `\`resources[${index}]\`` : `resource \`${path}\``;
  return about(where, () => compileParts(definition, where, common));
}

function pathOf({ path, model }: Partial<ResourceDefinition>): string | undefined {
  const found: unknown = path ?? model?.collection;
  return found === undefined ? undefined : showName(found);
}

function compileParts(definition: ResourceDefinition, where: string, common: TableOptions): UnlinkedResource {
  const given = (...names: readonly (keyof ResourceDefinition)[]) => readOptions(definition, names, legal, where);
  const compiledModel = once(() => watchMisfits(compileModel(given('model').model)));
  const standard = once(() => readOps(given('ops'), where));
  const custom = once(() => compileOperations(given('operations').operations ?? {}, where));
  const parts: ResourceParts = {
    given,
    where,
    list: () => ofList(),
    get isPatched() {
      return standard().includes('patch');
    },
    get model() {
      return compiledModel();
    },
  };
  const ofFields = once(() => tryAll(resourcePlugins.map((one) => () => one.operations?.(parts) ?? [])).flat());
  const served = once(() => [
    ...standard().map((name) => {
      const { method, group } = standardOperations[name];
      return { name, method, group, isCustom: false, hasHooks: isWrite(name) };
    }),
    ...custom().map((one) => ({ ...one, isCustom: true, hasHooks: hasWritingHandler(one) })),
    ...ofFields().map((one) => ({ ...one, isCustom: false, hasHooks: true })),
  ]);
  const ofList = once(() => ({
    ops: standard(),
    custom: [...custom(), ...ofFields()].map(({ name }) => name),
    hasHooks: operations
      .filter(isList)
      .some((name) =>
        [common.after, given('after').after].some((table = {}) => functionsOf(table, { name, ...standardOperations[name] }).length > 0),
      ),
    model: compiledModel(),
  }));
  const facets = once(() => compileFacets(parts));
  const ofReads = once(() => [
    ...(standard().some(isList) ? [queryName] : []),
    ...resourcePlugins.flatMap((one) => one.reads?.(parts) ?? []),
  ]);
  const [, , model, ops, own, added] = tryAll([
    () => checkOptions(definition, legal, where),
    () => checkPath(given('path'), compiledModel(), where),
    compiledModel,
    standard,
    custom,
    ofFields,
    () =>
      checkEndpoints(
        standard(),
        [
          ...custom(),
          ...ofFields(),
          ...endpointsOfNested(given('nested'), where),
          ...resourcePlugins.flatMap((one) => one.endpoints?.(parts) ?? []),
        ],
        where,
      ),
    () => checkGuards(given('guards').guards ?? [], 'guards', where),
    ...tableNames.map((option) => () => checkTable(option, given(option)[option] ?? {}, served(), ofReads(), where)),
    () => checkCommon(common, served(), where),
    () => refuseNamesOfReads(ofReads(), ofList(), where),
    facets,
    () => checkServerFields(given('serverFields').serverFields, where),
    () => checkFilterNames(compiledModel(), standard(), definition),
    () => checkDeleted(given('deleted', 'paging'), standard(), compiledModel(), where),
    () => checkFilters(compiledModel(), standard(), where),
    () => checkScopeWrites(given('scope', 'scopeWrites'), where),
    () => checkMerges(standard(), given('explicitWrites', 'mergePatch'), compiledModel()),
    () => checkScopeFields(given('scope', 'scopeFields'), compiledModel(), where),
  ]);
  const { path = model.collection, include = [], through = [], nested = [], serverFields = {} } = definition;
  return {
    path,
    description: definition.description ?? `Records of ${model.name}.`,
    model,
    ops,
    shownBy: ops.find((name) => isRead(name) && !isList(name)) ?? ops.find(isList),
    operations: [...own, ...added],
    scope: definition.scope ?? (() => everything),
    isScoped: definition.scope !== undefined,
    scopeWrites: definition.scopeWrites ?? true,
    scopeFields: definition.scopeFields && [...definition.scopeFields],
    serverFields: typeof serverFields === 'function' ? { create: serverFields } : { ...serverFields },
    explicitWrites: definition.explicitWrites ?? false,
    mergePatch: definition.mergePatch ?? true,
    preconditionRequired: definition.preconditionRequired ?? false,
    maxAffected: definition.maxAffected ?? defaultOf(aMaxAffected),
    caching: cachingOf(definition),
    paging: { ...(definition.paging ?? cursorPaging()) },
    fields: definition.fields ?? false,
    filters: [...(definition.filters ?? [])],
    listOptions: pickOfLists(definition),
    include: copyEntries(include),
    through: copyList(through),
    nested: [...nested],
    facets: facets(),
    deletedGuards: definition.deleted && [...definition.deleted.guards],
    ...compileTables(definition as TableOptions, common, served()),
  };
}

/** What plug-ins make of their options, by the functions that make it. */
function compileFacets(parts: ResourceParts): ReadonlyMap<unknown, unknown> {
  return new Map(tryAll(resourcePlugins.flatMap(({ compile }) => (compile ? [() => [compile, compile(parts)] as const] : []))));
}

function copyEntries(include: readonly IncludeEntry[]): readonly IncludeEntry[] {
  return Array.isArray(include)
    ? include.map((one: IncludeEntry) => (typeof one === 'object' && one !== null ? { ...one } : one))
    : include;
}

/** What is no list is refused where the relations are compiled. */
function copyList<List extends readonly unknown[]>(list: List): List {
  return (Array.isArray(list) ? [...list] : list) as List;
}

function cachingOf({ cacheControl, vary }: ResourceDefinition): CachingOptions {
  return { ...(cacheControl !== undefined && { cacheControl }), ...(vary && { vary: [...vary] }) };
}

/** Which callers may write what they may not read, in the operations that merge. */
function checkMerges(ops: readonly Operation[], rules: WriteRules, model: CompiledModel): void {
  if (ops.some(mergesBody)) checkBlindMerges(model, rules);
}

function readOps({ ops = defaultOperations }: ResourceDefinition, where: string): readonly Operation[] {
  checkNames('operation in `ops`', ops, operations, where);
  return [...ops];
}

function checkServerFields(serverFields: unknown, where: string): void {
  if (isObject(serverFields)) checkOptions(serverFields, legalServerFields, `\`serverFields\` of ${where}`);
}

/** Not every name of a collection is a path. */
function checkPath({ path }: ResourceDefinition, { collection }: CompiledModel, where: string): void {
  const [isPath, words] = aPathSegment;
  if (path === undefined && !isPath(collection))
    throw new ConfigurationError(`\`path\` of ${where} cannot be left out: the name of its collection is not ${words}.`);
}
