import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { McpServer } from '@modelcontextprotocol/server';
import { type McpOptions, mcpServer } from 'koa-mongo-resource/mcp';
import type { Api } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';

/** What an agent sees of a call. */
interface Called {
  readonly isError: boolean;
  readonly text: string;
  /** The JSON of the text. */
  readonly json: Any;
  readonly structured: Any;
}

/** An agent: the SDK's client, with calls that return what an agent sees. */
export interface Agent {
  readonly client: Client;
  names(): Promise<string[]>;
  call(name: string, given?: object, options?: RequestOptions): Promise<Called>;
}

export async function connectClient(transport: Transport): Promise<Agent> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  return {
    client,
    async names() {
      const { tools } = await client.listTools();
      return tools.map(({ name }) => name);
    },
    async call(name, given = {}, options = {}) {
      const result = (await client.callTool({ name, arguments: given as Record<string, unknown> }, undefined, options)) as CallToolResult;
      const [content] = result.content;
      const text = content?.type === 'text' ? content.text : '';
      const json = text.startsWith('{') ? JSON.parse(text) : undefined;
      return { isError: result.isError === true, text, json, structured: result.structuredContent };
    },
  };
}

/** Connects an agent to the server of an api, in this process. */
export async function connect<Principal>(api: Api<Principal>, options: McpOptions<Principal> = {}): Promise<Agent & { server: McpServer }> {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const server = mcpServer(api, options);
  await server.connect(far as never); // of the older SDK
  return Object.assign(await connectClient(near), { server });
}
