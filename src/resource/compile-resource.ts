import { ConfigurationError } from '../errors.ts';
import { type CachingOptions, cachingOptions } from '../middleware/caching.ts';
import { checkProblems } from '../middleware/parts/can-answer.ts';
import { aScope } from '../middleware/scope.ts';
import { type CompiledModel, compileModel } from '../model/compile/compile-model.ts';
import { isObject, own } from '../model/value/plain-object.ts';
import { listParameters } from '../mongo/list/parse-list-query.ts';
import { aPaging } from '../mongo/list/parse-paging.ts';
import { everything } from '../mongo/query/filter.ts';
import { watchMisfits } from '../mongo/watch-misfits.ts';
import { aFunction, anArrayOf, checkedLater, checkNames, checkOptions, type LegalOptions, orUndefined, trueOrFalse } from '../options.ts';
import { checkScope } from './check-scope.ts';
import { compileOperations } from './compile-operations.ts';
import type { ApiSettings, CompiledResource } from './compiled-resource.ts';
import { cursorPaging } from './paging.ts';
import type { ResourceDefinition } from './resource-options.ts';
import { type Operation, operations } from './resource-options.ts';

const defaultOperations: readonly Operation[] = ['list', 'get', 'create', 'patch', 'delete'];

const isTable = (value: unknown): boolean => isObject(value) && Object.values(value).every(Array.isArray);

const isPathSegment = (path: unknown): boolean => typeof path === 'string' && /^(?!\.{1,2}$)[\w.~-]+$/.test(path);

const legal: LegalOptions<ResourceDefinition> = {
  model: checkedLater,
  path: orUndefined([isPathSegment, 'one path segment of letters, digits, `-`, `.`, `_` and `~`, other than `.` and `..`']),
  description: [(value) => typeof value === 'string', 'a text'],
  ops: anArrayOf('operations'),
  guards: anArrayOf('functions'),
  guardsFor: [isTable, 'an object with an array of functions for each operation'],
  scope: aScope,
  scopeWrites: trueOrFalse,
  scopeFields: anArrayOf('field names'),
  serverFields: aFunction,
  explicitWrites: trueOrFalse,
  mergePatch: trueOrFalse,
  preconditionRequired: trueOrFalse,
  ...cachingOptions,
  paging: aPaging,
  include: checkedLater,
  fields: trueOrFalse,
  operations: [isObject, 'an object with an operation for each name'],
  after: [isTable, 'an object with an array of functions for each operation'],
};

/** Compiles a resource; throws a {@link ConfigurationError} that names what is wrong and what is legal. */
export function compileResource(definition: ResourceDefinition, settings: ApiSettings): CompiledResource {
  const model = watchMisfits(compileModel(definition.model));
  const { path = model.collection, ops = defaultOperations, guards = [], guardsFor = {}, after = {} } = definition;
  checkOptions<ResourceDefinition>(definition, legal, `resource \`${path}\``);
  checkNames('operation in `ops`', ops, operations, `resource \`${path}\``);
  const custom = compileOperations(definition.operations ?? {}, ops, `resource \`${path}\``);
  const names = [...ops, ...custom.map(({ name }) => name)];
  checkNames('operation in `guardsFor`', Object.keys(guardsFor), names, `resource \`${path}\``);
  checkNames('operation in `after`', Object.keys(after), names, `resource \`${path}\``);
  for (const [option, functions] of Object.entries(listsOf(definition))) checkFunctions(functions, option, path);
  for (const guard of [...guards, ...Object.values(guardsFor).flatMap((own) => own ?? [])])
    checkProblems(guard, `a guard of resource \`${path}\``);
  checkFilterNames(model);
  checkScope(definition, model, path);
  return {
    ...settings,
    path,
    description: definition.description ?? `Records of ${model.name}.`,
    model,
    ops,
    operations: custom,
    scope: definition.scope ?? (() => everything),
    isScoped: definition.scope !== undefined,
    scopeWrites: definition.scopeWrites ?? true,
    scopeFields: definition.scopeFields,
    serverFields: definition.serverFields,
    explicitWrites: definition.explicitWrites ?? false,
    mergePatch: definition.mergePatch ?? true,
    preconditionRequired: definition.preconditionRequired ?? false,
    caching: cachingOf(definition),
    paging: definition.paging ?? cursorPaging(),
    includes: { names: [], relations: new Map(), steps: [], paths: new Map(), maxPageBytes: settings.maxPageBytes },
    fields: definition.fields ?? false,
    guardsOf: (operation) => [...guards, ...(own(guardsFor, operation) ?? [])],
    hooksOf: (operation) => own(after, operation) ?? [],
  };
}

function cachingOf({ cacheControl, vary }: ResourceDefinition): CachingOptions {
  return { ...(cacheControl !== undefined && { cacheControl }), ...(vary && { vary }) };
}

/** All lists of functions of a resource, by their options. */
function listsOf({ guards = [], guardsFor = {}, after = {} }: ResourceDefinition): Record<string, readonly unknown[]> {
  const named = (option: string, table: object) => Object.entries(table).map(([name, list]) => [`${option}.${name}`, list]);
  return { guards, ...Object.fromEntries([...named('guardsFor', guardsFor), ...named('after', after)]) };
}

/** The middlewares would refuse them too, and could not say whose they are. */
function checkFunctions(functions: readonly unknown[], option: string, path: string): void {
  const wrong = functions.find((one) => typeof one !== 'function');
  if (functions.includes(wrong))
    throw new ConfigurationError(`\`${option}\` of resource \`${path}\` must be an array of functions; it has ${describe(wrong)}.`);
}

function describe(value: unknown): string {
  return typeof value === 'string' ? `\`'${value}'\`` : `\`${String(value)}\``;
}

/** `total[gte]=5` beside `total=true` is clear; a field filtered by its bare name would not be. */
function checkFilterNames(model: CompiledModel): void {
  for (const name of listParameters) {
    if (model.clientFields.get(name)?.operators.has('eq')) {
      throw new ConfigurationError(
        `\`policy.filter\` of \`${name}\` in ${model.name} cannot have \`eq\`: a list's query string uses \`${name}=\` itself. List the other operators.`,
      );
    }
  }
}
