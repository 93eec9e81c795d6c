import type { CallHeaders } from './options.ts';

/** Who calls: the headers of the requests to the api, and the principal if it is given. */
export interface Caller {
  readonly headers: CallHeaders;
  /** Present if `authenticate` of the api is not to be called. */
  readonly principal?: unknown;
  /** Whether the api has been asked already who calls, and has not refused. */
  readonly isKnown?: boolean;
}

/** The options that say who calls, whatever their functions get. */
interface CallerOptions {
  readonly headers?: unknown;
  readonly principal?: unknown;
}

/** Asks the options who calls. If their function throws, the call is refused. */
export async function readCaller(options: CallerOptions, call: unknown, defaults: CallHeaders = {}): Promise<Caller> {
  const headers = 'headers' in options ? await resolve(options.headers, call) : defaults;
  return { headers: present(headers), ...('principal' in options ? { principal: await resolve(options.principal, call) } : {}) };
}

/** `Headers` would turn an undefined value, such as that of a missing variable, into a text. */
function present(headers: unknown): CallHeaders {
  return Object.fromEntries(Object.entries((headers ?? {}) as CallHeaders).filter(([, value]) => value !== undefined));
}

function resolve(value: unknown, call: unknown): unknown {
  return typeof value === 'function' ? value(call) : value;
}
