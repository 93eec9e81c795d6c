import type { Tool as ToolDefinition } from '@modelcontextprotocol/server';
import type { Schema } from '../../openapi/document.ts';

/** Where an argument goes in the request. */
export interface Argument {
  readonly in: 'path' | 'query' | 'header' | 'body';
  /** Its name there: a parameter such as `total[gte]`, or a header. */
  readonly name: string;
  readonly required: boolean;
  /** Whether the operation itself declares this parameter of the query string: its items may have commas. */
  readonly isOwn?: boolean;
  /** The schema that the client sees. */
  readonly schema: Schema;
}

/** The names of tools that read the records of a resource. */
export interface ReadingTools {
  /** Reads one record. */
  readonly one?: string | undefined;
  /** Lists records. */
  readonly many?: string | undefined;
}

/** An operation of the api as a tool. */
export interface Tool {
  /** The operation, such as `orders.list`. */
  readonly operation: string;
  /** The tool as the client sees it. */
  readonly definition: ToolDefinition;
  readonly method: string;
  /** The path, with the parameters in braces. */
  readonly path: string;
  /** Whether a path leads to its own operation: an id may be called like a literal segment of another one. */
  isOwnPath(path: string): boolean;
  /** The arguments by the names that clients see. */
  readonly inputs: ReadonlyMap<string, Argument>;
  /** The tools of the same server that read records of the same resource: hints name them. */
  readonly reading: ReadingTools;
}

/** Something that the model can mend: the text of a tool error. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}
