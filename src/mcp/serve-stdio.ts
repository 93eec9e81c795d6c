import { setImmediate as turn } from 'node:timers/promises';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { Api } from '../api/api.ts';
import { checkOptions } from '../options.ts';
import { compileToolset, openServer } from './open-server.ts';
import { legalOptions, type McpOptions } from './options.ts';
import { readCaller } from './read-caller.ts';

/**
 * Serves an api over standard input and output, for one client that has started this process. Resolves when the client has closed its end, and
 * what it had called is answered: close the `MongoClient` then. Write logs to standard error, because standard output belongs to the protocol.
 *
 * The options are those of `mcpServer`. All calls have one caller: give `headers`, or a `principal`.
 *
 * @example
 * await serveStdio(createShop(client.db('shop')), { headers: { authorization: `Bearer ${process.env.SHOP_TOKEN}` } });
 * await client.close();
 */
export async function serveStdio<Principal>(api: Api<Principal>, options: McpOptions<Principal> = {}): Promise<void> {
  checkOptions(options, legalOptions, '`serveStdio`');
  const { mcp, calls } = openServer(compileToolset(api, options), (call) => readCaller(options, call));
  const { stdin, stdout } = process;
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) stdin.once(event, resolve);
    stdout.once('error', () => resolve()); // the client has gone: nobody reads
    mcp.server.onclose = resolve;
  });
  await mcp.connect(new StdioServerTransport(stdin, stdout));
  await ended;
  await turn(); // the last message has been read, and its call may not have begun
  await Promise.all(calls);
  await turn(); // the SDK sends the answers
  await mcp.close();
}
