import { ConfigurationError } from '../errors.ts';
import type { Authenticate } from '../middleware/authenticate.ts';
import { tryAll } from '../mistakes.ts';
import type { Model } from '../model/define/define-model.ts';
import type { Document } from '../model/define/infer.ts';
import type { Fields } from '../model/define/schema.ts';
import { isObject } from '../model/value/plain-object.ts';
import { aFunction, checkOptions, orUndefined } from '../options.ts';
import type { Operation, ResourceDefinition, ResourceOptions, ScopeResult } from '../resource/define/resource-options.ts';
import type { Api } from './api.ts';
import type { ApiOptions } from './api-options.ts';
import { createApi } from './create-api.ts';

declare const principal: unique symbol;

/** A resource of a service. It is plain data, which `api()` compiles. */
export interface Resource<Principal> {
  readonly [principal]: (value: Principal) => void;
}

/** Options of {@link service}. */
export interface ServiceOptions<Principal> {
  /**
   * Returns the principal of a request, or undefined or null for an anonymous one.
   *
   * @default every request is anonymous
   */
  readonly authenticate?: Authenticate<Principal>;
}

/** Creates resources and apis that share one function to authenticate. */
export interface Service<Principal> {
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
    const Ops extends Operation = 'list' | 'get' | 'create' | 'patch' | 'delete',
    Bodies = Record<string, unknown>, // where TypeScript cannot infer a body, because all that an operation has are functions of `ctx`
    Names extends keyof Bodies & string = never,
    const Scope extends ScopeResult<Document<Model<F>>> | Promise<ScopeResult<Document<Model<F>>>> = ScopeResult<Document<Model<F>>>,
  >(options: ResourceOptions<Principal, F, Ops, Bodies, Names, Scope>): Resource<Principal>;
  /**
   * Compiles resources into an api. Throws one `ConfigurationError` with all mistakes in the definitions.
   *
   * @example
   * const api = shop.api({ db, resources: [orders], prefix: '/api' });
   * new Koa().use(api.routes()).listen(3000);
   */
  api(options: ApiOptions<Resource<Principal>, Principal>): Api<Principal>;
}

/** The resources by their `authenticate`: the functions of a resource expect its principals and no others. */
const madeFor = new WeakMap<object, WeakSet<object>>();
const nobody = {};

/**
 * Creates a service. Guards, scopes and hooks of its resources get the principal with the type that `authenticate`
 * returns, without annotations.
 *
 * @example
 * const shop = service({ authenticate: (ctx) => users.get(ctx.get('authorization')) });
 * const api = shop.api({ db, prefix: '/api', resources: [shop.resource({ model: Order })] });
 */
export function service<Principal = never>(options: ServiceOptions<Principal> = {}): Service<Principal> {
  checkOptions(options, { authenticate: orUndefined(aFunction) }, '`service`');
  const { authenticate } = options;
  const own = madeFor.get(authenticate ?? nobody) ?? new WeakSet();
  madeFor.set(authenticate ?? nobody, own);
  return {
    resource(definition) {
      if (isObject(definition)) own.add(definition);
      return definition as unknown as Resource<Principal>;
    },
    api(given) {
      const definition = given as unknown as ApiOptions<ResourceDefinition>;
      const strangers = [definition?.resources].flat().filter((one) => isObject(one) && !own.has(one));
      const [api] = tryAll([() => createApi(definition, authenticate), ...strangers.map((one) => () => refuseStranger(one))]);
      return api;
    },
  };
}

function refuseStranger({ path, model }: Partial<ResourceDefinition>): never {
  throw new ConfigurationError(
    `The resource \`${path ?? model?.collection ?? 'without a model'}\` of an api was not made by \`resource()\` of its service, or of one that authenticates by the same function.`,
  );
}
