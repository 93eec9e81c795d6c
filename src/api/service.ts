import { ConfigurationError } from '../errors.ts';
import type { Authenticate } from '../middleware/authenticate.ts';
import type { KoaContext } from '../middleware/exchange/koa-context.ts';
import { type CallerRules, checkRuleFunctions } from '../middleware/views/asked-rules.ts';
import { tryAll } from '../mistakes.ts';
import { compileModel } from '../model/compile/compile-model.ts';
import type { Model } from '../model/define/define-model.ts';
import type { Document, RulesOf } from '../model/define/infer.ts';
import type { Fields } from '../model/define/schema.ts';
import { isObject } from '../model/value/plain-object.ts';
import { aFunction, anObject, checkOptions, orUndefined } from '../options.ts';
import { checkUnused } from '../resource/check-rules.ts';
import { type CommonFunctions, legalCommon, readCommon } from '../resource/define/common-functions.ts';
import type { RequestContext } from '../resource/define/custom-operation.ts';
import type { TableOptions } from '../resource/define/function-tables.ts';
import type { CustomNames, ResourceDefinition, ResourceOptions, WriteKeys, WritingNames } from '../resource/define/resource-options.ts';
import type { ScopeGiven, ScopeResult } from '../resource/define/scope-result.ts';
import type { DefaultOperation, Operation } from '../resource/define/standard-operations.ts';
import type { Api } from './api.ts';
import type { ApiOptions } from './api-options.ts';
import { createApi } from './create-api.ts';
import type { Resource } from './resource.ts';

/** Options of {@link service}. */
export interface ServiceOptions<Principal, Rule extends string = string, App = KoaContext>
  extends CommonFunctions<RequestContext<NoInfer<Principal>, NoInfer<App>>> {
  /**
   * Returns the principal of a request, or undefined or null for an anonymous one. If it declares the context of your
   * app, with `ctx.session` for example, the functions of all resources get that context.
   * @default every request is anonymous
   */
  readonly authenticate?: Authenticate<Principal, App>;
  /**
   * Questions about a principal, by the names that the policies of fields use (`policy: { read: 'staff' }`). Only
   * `true` means yes. A rule may be async. It is asked at most once in a request, if something needs it, and never for
   * an anonymous request: then no rule holds. One that throws is a 500.
   * @default none
   *
   * @example
   * const shop = service({
   *   authenticate: (ctx) => users.get(ctx.get('authorization')),
   *   rules: { staff: (user) => user.isAdmin === true },
   * });
   */
  readonly rules?: { readonly [Name in Rule]: (principal: NoInfer<Principal>) => boolean | Promise<boolean> };
}

/** Refuses a model whose policies name a rule that the service does not have. */
type KnowsRules<F extends Fields, Rule extends string> = [RulesOf<F>] extends [Rule]
  ? unknown
  : { readonly model: { readonly 'the service lacks the rules': Exclude<RulesOf<F>, Rule> } };

/** Creates resources and apis that share one function to authenticate. */
export interface Service<Principal, Rule extends string = never, App = KoaContext> {
  /**
   * Describes a resource. Its functions get the principal with the type that `authenticate` returns. Mistakes are
   * reported by `api()`.
   *
   * @example
   * const orders = shop.resource({
   *   model: Order,
   *   ops: ['list', 'get', 'create', 'patch'],
   *   guards: [(ctx) => ctx.principal !== undefined],
   *   scope: (ctx) => ({ owner: ctx.requirePrincipal().name }),
   * });
   */
  resource<
    const F extends Fields,
    const Ops extends Operation = DefaultOperation,
    Bodies = Record<string, unknown>, // where TypeScript cannot infer a body, because all that an operation has are functions of `ctx`
    Queries = Record<string, unknown>, // the same of their `query`,
    Paths = Record<string, unknown>, // of their `path`,
    Groups = Record<string, unknown>, // of their `group`,
    Methods = Record<string, unknown>, // and of their `method`
    Names extends CustomNames<Bodies, Queries, Paths, Groups, Methods> = never,
    const Scope extends ScopeGiven<Document<Model<F>>> = ScopeResult<Document<Model<F>>>,
    Hooked extends WriteKeys<NoInfer<Ops>, F, WritingNames<NoInfer<Methods>, NoInfer<Names>>, NoInfer<Groups>> = never,
  >(
    options: ResourceOptions<Principal, F, Ops, Bodies, Queries, Paths, Groups, Methods, Names, Scope, App, Hooked> & KnowsRules<F, Rule>,
  ): Resource<Principal>;
  /**
   * Compiles resources into an api. Throws one `ConfigurationError` with all mistakes in the definitions.
   *
   * @example
   * const api = shop.api({ db, resources: [orders], prefix: '/api' });
   * new Koa().use(api.routes()).listen(3000);
   */
  api(options: ApiOptions<Resource<Principal>, Principal, App>): Api<Principal>;
}

/** The resources by their `authenticate`: the functions of a resource expect its principals and no others. */
const madeFor = new WeakMap<object, WeakSet<object>>();
const nobody = {};
const tableOfRules = 'an object with a function for each name';

/** The functions of the services that have made a resource. */
const commonOf = new WeakMap<object, readonly TableOptions[]>();

/**
 * Creates a service. Guards, scopes and hooks of its resources get the principal with the type that `authenticate`
 * returns, without annotations.
 *
 * @example
 * const shop = service({ authenticate: (ctx) => users.get(ctx.get('authorization')) });
 * const api = shop.api({ db, prefix: '/api', resources: [shop.resource({ model: Order })] });
 */
export function service<Principal = never, const Rule extends string = never, App = KoaContext>(
  options: ServiceOptions<Principal, Rule, App> = {},
): Service<Principal, Rule, App> {
  const legal = { authenticate: orUndefined(aFunction), rules: orUndefined(anObject(tableOfRules)), ...legalCommon };
  checkOptions(options, legal, '`service`');
  const common = readCommon(options);
  const { authenticate } = options;
  const rules = options.rules && { ...options.rules };
  if (rules) checkRuleFunctions(rules, 'the service');
  const own = madeFor.get(authenticate ?? nobody) ?? new WeakSet();
  madeFor.set(authenticate ?? nobody, own);
  const models = new Set<Model>();
  return {
    resource(definition) {
      if (isObject(definition)) {
        own.add(definition);
        commonOf.set(definition, [...(commonOf.get(definition) ?? []).filter((one) => one !== common), common]);
      }
      if (isObject(definition?.model)) models.add(definition.model as unknown as Model);
      return definition as unknown as Resource<Principal>;
    },
    api(given) {
      const definition = given as unknown as ApiOptions<ResourceDefinition>;
      const strangers = [definition?.resources].flat().filter((one) => isObject(one) && !own.has(one));
      const [api] = tryAll([
        () => createApi(definition, authenticate as Authenticate<unknown> | undefined, rules as CallerRules | undefined, commonFunctionsOf),
        ...strangers.map((one) => () => refuseStranger(one)),
      ]);
      if (rules) checkUnused(Object.keys(rules), [...[...models, ...(definition.models ?? [])].map(compileModel), api.description]);
      return api;
    },
  };
}

function refuseStranger({ path, model }: Partial<ResourceDefinition>): never {
  throw new ConfigurationError(
    `The resource \`${path ?? model?.collection ?? 'without a model'}\` of an api was not made by \`resource()\` of its service, or of one that authenticates by the same function.`,
  );
}

/** The functions that a resource has from its service, whichever serves it. */
function commonFunctionsOf(definition: ResourceDefinition): TableOptions {
  const [common = {}, ...others] = commonOf.get(definition) ?? [];
  if (others.length > 0 && [common, ...others].some(hasSome))
    throw new ConfigurationError(
      `The resource \`${definition.path ?? definition.model?.collection}\` was given to several services, which have guards or hooks for their resources: make one for each.`,
    );
  return common;
}

function hasSome(common: TableOptions): boolean {
  return Object.values(common).some((one) => Object.keys(one ?? {}).length > 0);
}
