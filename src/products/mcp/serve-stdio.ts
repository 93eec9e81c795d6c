import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { StdioServerTransport, serveStdio as serve } from '@modelcontextprotocol/server/stdio';
import type { Api } from '../../api/api.ts';
import { isProblem } from '../../errors.ts';
import { checkOptions } from '../../options.ts';
import { identify } from './identify.ts';
import { compileToolset, openServer, type Toolset } from './open-server.ts';
import { type CallHeaders, legalOptions, type McpOptions } from './options.ts';
import { readCaller } from './read-caller.ts';

/**
 * Serves an api over standard input and output, for one client that has started this process. Resolves when the client
 * has closed its end, and all of its calls are answered: close the `MongoClient` then. Write logs to standard error,
 * because standard output belongs to the protocol.
 *
 * The options are those of `mcpServer`. All calls have one caller: give `headers`, or a `principal`. Rejects with the
 * {@link Problem} of the api if that does not accept the `headers`, before the client learns anything.
 *
 * @example
 * await serveStdio(createShop(client.db('shop')), { headers: { authorization: `Bearer ${process.env.SHOP_TOKEN}` } });
 * await client.close();
 */
export async function serveStdio<Principal>(api: Api<Principal>, options: McpOptions<Principal> = {}): Promise<void> {
  checkOptions(options, legalOptions, '`serveStdio`');
  const toolset = compileToolset(api, options);
  if (!('principal' in options) && typeof options.headers !== 'function') await refuseStranger(toolset, options.headers);
  const { stdin, stdout } = process;
  const calls = new Set<ReadonlySet<Promise<unknown>>>();
  const open = () => {
    const opened = openServer(toolset, (call) => readCaller(options, call));
    calls.add(opened.calls);
    return opened.mcp;
  };
  const input = new PassThrough(); // the transport would abort what is not answered when its input ends
  const transport = new StdioServerTransport(input, stdout);
  const ended = new Promise<void>((resolve) => {
    for (const event of ['end', 'close', 'error']) stdin.once(event, resolve);
    stdout.once('error', () => resolve()); // the client has gone
    input.once('close', resolve);
  });
  const server = serve(open, { transport });
  stdin.pipe(input, { end: false });
  await ended;
  await turn(); // the last message has been read, and its call may not have begun
  await Promise.all([...calls].flatMap((own) => [...own]));
  await turn(); // the SDK sends the answers
  await server.close();
}

/** A database that is away is no reason to refuse: the client may wait for it. */
async function refuseStranger({ api }: Toolset, headers: CallHeaders | undefined): Promise<void> {
  try {
    await identify(api, await readCaller({ headers }, undefined));
  } catch (error) {
    if (!isProblem(error) || error.status < 500) throw error;
  }
}
