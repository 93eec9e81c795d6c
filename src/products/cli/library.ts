import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { isOfThisCopy } from '../../api/copies.ts';
import { type Api, applyIndexes, diagram, openapiDocument, openapiText, planIndexes } from '../../index.ts';
import { applyFolds, auditCollection } from '../audit/audit-collection.ts';
import { UsageError } from './usage-error.ts';

/** The MCP SDK is an optional peer: only the command that needs it loads it. */
const own = {
  applyFolds,
  applyIndexes,
  auditCollection,
  diagram,
  openapiDocument,
  openapiText,
  planIndexes,
  loadMcp: () => import('../mcp/mcp.ts'),
};

/** The functions of the library that commands call. */
export type Library = typeof own;

/**
 * Finds the copy of the library that has made an api: no other copy can read what is compiled in it. There are two if
 * tsx compiles the app to CommonJS, and its packages with it, or if the app has another installation than the command.
 */
export function libraryOf(api: Api, path: string): Library {
  if (isOfThisCopy(api)) return own;
  const require = createRequire(resolve(path));
  try {
    const loadMcp = async () => require('koa-mongo-resource/mcp');
    return { ...require('koa-mongo-resource'), ...require('koa-mongo-resource/audit'), loadMcp } as Library;
  } catch (cause) {
    throw new UsageError(`The api of ${path} was made by another copy of koa-mongo-resource: use the command of that one.`, { cause });
  }
}
