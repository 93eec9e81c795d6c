export { type McpRoutesOptions, mcpRoutes } from './mcp-routes.ts';
export { mcpServer } from './mcp-server.ts';
export type { McpCall, McpOptions } from './options.ts';
export { serveStdio } from './serve-stdio.ts';
