import { type CallToolRequest, type CallToolResult, McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import type { Api } from '../../api/api.ts';
import { checkApi } from '../../api/copies.ts';
import { isProblem } from '../../errors.ts';
import { didYouMean, listNames } from '../../hints.ts';
import { keepLatest } from '../../keep-latest.ts';
import { fillIn } from '../../options.ts';
import { buildRequest } from './build-request.ts';
import { compileTools } from './compile-tools.ts';
import { identify, type SeenTools, toolsOf } from './identify.ts';
import { legalOptions, type McpCall, type McpOptions } from './options.ts';
import type { Caller } from './read-caller.ts';
import { type Tool, ToolError } from './tool.ts';
import { writeResult } from './write-result.ts';

/** The parts that all servers of an api share. They are made once. */
export interface Toolset extends SeenTools {
  readonly maxAnswer: number;
  readonly info: { readonly name: string; readonly version: string };
  readonly instructions: string;
  /** The SDK's own, which takes most of the time of making a server. */
  readonly jsonSchemaValidator: AjvJsonSchemaValidator;
}

/** Most sets of tools that are kept. */
const mostViews = 32;

type ToolsetOptions = Omit<McpOptions, 'headers' | 'principal'>;

/** Compiles what the servers of an api have in common. */
export function compileToolset<Principal>(api: Api<Principal>, options: ToolsetOptions): Toolset {
  checkApi(api, 'An MCP server');
  const { info } = api.description;
  const { name = info.title, version = info.version, maxAnswer } = fillIn(options, legalOptions);
  const tools = compileTools(api as Api, options);
  const compileFor = (held: string) => compileTools(api as Api, options, new Set(held.split(' ')));
  const toolsFor = api.description.rules.length > 0 ? keepLatest(compileFor, mostViews) : undefined;
  // A connection has its instructions before it is known who calls.
  const instructions = options.instructions ?? [info.description, ...usage(toolsFor?.('') ?? tools)].filter(Boolean).join('\n');
  return {
    api: api as unknown as Api<never>,
    tools,
    toolsFor,
    maxAnswer,
    info: { name, version },
    instructions,
    jsonSchemaValidator: new AjvJsonSchemaValidator(),
  };
}

function usage(tools: ReadonlyMap<string, Tool>): string[] {
  const takes = (argument: string) => [...tools.values()].some(({ inputs }) => inputs.has(argument));
  return [
    ...(takes('after') ? ['Lists come in pages: pass `page.next_cursor` as `after` until it is null.'] : []),
    ...(takes('if_match') ? ['To write only if nobody has changed the record since you read it, pass its `revision` as `if_match`.'] : []),
  ];
}

/** A server for one connection. */
interface OpenServer {
  readonly mcp: McpServer;
  /** The calls that are not answered yet. */
  readonly calls: ReadonlySet<Promise<unknown>>;
}

/**
 * Opens a server for one connection. The SDK's own handlers of tools want Zod schemas: these are below them, and take
 * JSON Schema. `report` gets the errors that clients must not see; by default `onerror` of the SDK's server, or else
 * standard error.
 */
export function openServer(toolset: Toolset, callerOf: (call: McpCall) => Promise<Caller>, report?: (error: unknown) => void): OpenServer {
  const { info, instructions, jsonSchemaValidator } = toolset;
  const mcp = new McpServer(info, { jsonSchemaValidator, ...(instructions !== '' && { instructions }) });
  const { server } = mcp;
  const calls = new Set<Promise<unknown>>();
  const tell = report ?? ((error: unknown) => (server.onerror ?? console.error)(error as Error));
  server.registerCapabilities({ tools: {} });
  server.setRequestHandler('tools/list', async (_request, call) => {
    const { signal } = call.mcpReq;
    try {
      const caller = await callerOf(call);
      if (!caller.isKnown) await identify(toolset.api, caller);
      await checkCaller(toolset, caller, signal);
    } catch (error) {
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, describe(error, signal.aborted ? () => undefined : tell));
    }
    return { tools: [...(await toolsOf(toolset, await callerOf(call))).values()].map(({ definition }) => definition) };
  });
  server.setRequestHandler('tools/call', ({ params }, call) => {
    const { signal } = call.mcpReq;
    const answering = callerOf(call)
      .then((caller) => callTool(toolset, params, caller, signal))
      .catch((error) => failed(describe(error, signal.aborted ? () => undefined : tell)));
    calls.add(answering);
    return answering.finally(() => calls.delete(answering));
  });
  return { mcp, calls };
}

/** The text of an error for the client. The message of an unexpected error is only reported. */
function describe(error: unknown, report: (error: unknown) => void): string {
  if (error instanceof ToolError) return error.message;
  if (isProblem(error) && error.status < 500) return `${error.title} (${error.code})${error.detail ? `: ${error.detail}` : ''}`;
  report(error);
  return 'It is an error of the service, and not of the arguments.';
}

async function callTool(toolset: Toolset, { name, arguments: given = {} }: CallToolRequest['params'], caller: Caller, signal: AbortSignal) {
  const { api, maxAnswer } = toolset;
  await checkCaller(toolset, caller, signal);
  const tools = await toolsOf(toolset, caller);
  const tool = tools.get(name);
  if (!tool)
    throw new ToolError(
      `There is no tool \`${name.slice(0, 64)}\`${didYouMean(name, tools.keys(), '.')} The tools are ${listNames(tools.keys())}.`,
    );
  const { principal, ...rest } = caller;
  const request = buildRequest(tool, given, rest.headers, signal);
  // The rest of an answer is the place of its page: cursors have the values of a sort.
  const bounds = { maxPageBytes: Math.floor(maxAnswer * 0.9) };
  const response = await api.fetch(request, 'principal' in caller ? { ...bounds, principal: principal as never } : bounds);
  return writeResult(tool, response, maxAnswer);
}

/** The tools show what the description of the api shows: if it has guards, they decide about the tools, too. */
async function checkCaller({ api }: Toolset, { headers, ...rest }: Caller, signal: AbortSignal): Promise<void> {
  const { guardedDocument } = api.description;
  if (guardedDocument === undefined) return;
  const request = new Request(`http://in-process${guardedDocument}`, { headers: { ...headers, 'if-none-match': '*' }, signal });
  const { status } = await api.fetch(request, 'principal' in rest ? { principal: rest.principal as never } : undefined);
  if (status >= 400) throw new ToolError(`The caller of this connection may not see what the api offers (${status}).`);
}

function failed(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}
