import type { ServerContext } from '@modelcontextprotocol/server';
import { anArrayOf, aString, aWholeNumber, byDefault, type Legal, trueOrFalse } from '../../options.ts';

/**
 * The information of the SDK about a call: `http.authInfo` of its own authentication, `http.req`, `sessionId`,
 * `mcpReq.signal`.
 */
export type McpCall = ServerContext;

/** Headers by name. */
export type CallHeaders = Readonly<Record<string, string>>;

/** A value, or a function that returns it for each call. */
type PerCall<Value, Call> = Value | ((call: Call) => Value | Promise<Value>);

/** Options of an MCP server. `Call` is what its functions get. */
export interface McpOptions<Principal = unknown, Call = McpCall> {
  /**
   * The operations that become tools: `orders.list`, `orders.send` for a custom operation, `customers.orders.list` for
   * one of a relation.
   * @default all that read, and with `write` all
   */
  readonly operations?: readonly string[];
  /** Whether operations that write become tools: all but those of GET. @default false */
  readonly write?: boolean;
  /**
   * Headers of the requests to the api, such as `authorization`: the api authenticates by them as it does over HTTP.
   * @default none; of `mcpRoutes`, the `Authorization` of the request
   *
   * @example
   * headers: { authorization: `Bearer ${process.env.SHOP_TOKEN}` }
   */
  readonly headers?: PerCall<CallHeaders, Call>;
  /**
   * The caller. If the option is there, the api does not call `authenticate`; null or undefined is an anonymous caller.
   * @default what `authenticate` of the api returns for the headers
   */
  readonly principal?: PerCall<Principal | null | undefined, Call>;
  /**
   * How many bytes of an answer are shown to the model. A page of a list ends there. Of another answer that is larger,
   * nothing is shown: the tool says how to ask for less. What a write has done stays done.
   * @default 40_000, about 10,000 tokens
   */
  readonly maxAnswer?: number;
  /** The name of the server. @default the title of the api */
  readonly name?: string;
  /** @default the version of the api */
  readonly version?: string;
  /**
   * The instructions for the model about all tools.
   *
   * @default the description of the api, and how pages and revisions are passed
   */
  readonly instructions?: string;
}

const anyValue: Legal = [() => true, ''];
const headersOrFunction: Legal = [
  (value) => typeof value === 'function' || (typeof value === 'object' && value !== null && !Array.isArray(value)),
  'an object of headers, or a function that returns one',
];

/** What is legal for each option. */
export const legalOptions = {
  operations: anArrayOf('operations such as `orders.list`', (item) => typeof item === 'string'),
  write: trueOrFalse,
  headers: headersOrFunction,
  principal: anyValue,
  maxAnswer: byDefault(40_000, aWholeNumber(1_000, undefined, ' of bytes')),
  name: aString,
  version: aString,
  instructions: aString,
};
