import type { CallHeaders } from './options.ts';

/** Who calls: the headers of the requests to the api, and the principal if it is given. */
export interface Caller {
  readonly headers: CallHeaders;
  /** Present if `authenticate` of the api is not to be called. */
  readonly principal?: unknown;
}

/** The options that say who calls, whatever their functions get. */
interface CallerOptions {
  readonly headers?: unknown;
  readonly principal?: unknown;
}

/** Asks the options who calls. A function that throws lets nobody call. */
export async function readCaller(options: CallerOptions, call: unknown, defaults: CallHeaders = {}): Promise<Caller> {
  const headers = 'headers' in options ? await resolve(options.headers, call) : defaults;
  return { headers: headers as CallHeaders, ...('principal' in options ? { principal: await resolve(options.principal, call) } : {}) };
}

function resolve(value: unknown, call: unknown): unknown {
  return typeof value === 'function' ? value(call) : value;
}
