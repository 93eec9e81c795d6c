import { Console } from 'node:console';
import { defineCommand, status } from '../command.ts';
import type { Library } from '../library.ts';
import { UsageError } from '../usage-error.ts';

export const mcp = defineCommand({
  summary: 'Serve the operations of the api to an agent, as tools over stdio (MCP)',
  details:
    'Serves until the client closes standard input. Only operations that read are tools, unless --write is given. The Authorization header of all\ncalls is that of the environment variable AUTHORIZATION, if there is one. What the module logs goes to standard error.',
  options: {
    write: { type: 'boolean', text: 'also serve operations that write' },
    operation: { type: 'string', multiple: true, value: 'name', text: 'serve this operation, such as orders.list; may be repeated' },
  },
  needsDatabase: true,
  async run({ load, values: { write = false, operation } }) {
    globalThis.console = new Console(process.stderr); // standard output belongs to the protocol
    const { api, library } = await load();
    const { serveStdio } = await loadMcp(library);
    const authorization = process.env.AUTHORIZATION;
    await serveStdio(api, { write, ...(operation && { operations: operation }), headers: authorization ? { authorization } : {} });
    return status.good;
  },
});

async function loadMcp(library: Library): ReturnType<Library['loadMcp']> {
  try {
    return await library.loadMcp();
  } catch (cause) {
    if (!String((cause as Error).message).includes('@modelcontextprotocol/server')) throw cause;
    throw new UsageError('This command needs the MCP SDK: npm install @modelcontextprotocol/server', { cause });
  }
}
