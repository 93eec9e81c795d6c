import type { McpServer } from '@modelcontextprotocol/server';
import type { Api } from '../../api/api.ts';
import { checkOptions } from '../../options.ts';
import { compileToolset, openServer } from './open-server.ts';
import { legalOptions, type McpOptions } from './options.ts';
import { readCaller } from './read-caller.ts';

/**
 * Makes an MCP server of an api: a tool for each operation that reads, and with `write` for all. It is the SDK's
 * `McpServer`: connect it to one transport of the SDK, and register resources and prompts of your own. `serveStdio` and
 * `mcpRoutes` do that for stdio and Streamable HTTP.
 *
 * A call of a tool is a request to `api.fetch`: authentication, guards, scope, policy and limits are those of the api,
 * and its problems become tool errors. Middlewares in front of the api in a Koa app do not see these requests.
 *
 * Throws a {@link ConfigurationError} for an invalid option, or an operation that the api does not serve.
 *
 * @example
 * const server = mcpServer(api, {
 *   operations: ['orders.list', 'orders.get'],
 *   headers: { authorization: `Bearer ${token}` },
 * });
 * await server.connect(transport);
 */
export function mcpServer<Principal>(api: Api<Principal>, options: McpOptions<Principal> = {}): McpServer {
  checkOptions(options, legalOptions, '`mcpServer`');
  return openServer(compileToolset(api, options), (call) => readCaller(options, call)).mcp;
}
