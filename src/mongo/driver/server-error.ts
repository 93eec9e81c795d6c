import { types } from 'node:util';

/** What the driver throws when the server has answered with an error. */
export interface ServerError extends Error {
  readonly code: number;
  /** Of a duplicate key: the index. Not there where one of several writes met it. */
  readonly keyPattern?: unknown;
}

/** MongoDB's own numbers. */
export const serverCodes = { namespaceNotFound: 26, duplicateKey: 11000 } as const;

/** By its name and code: several copies of the driver in one tree are normal, mongoose brings its own. */
export function isServerError(error: unknown, code?: number): error is ServerError {
  if (!isError(error) || !/^Mongo\w*Error$/.test(error.name) || !('code' in error)) return false;
  return typeof error.code === 'number' && (code === undefined || error.code === code);
}

/** Errors of Node itself belong to another realm where code runs in a `node:vm` context: their class is another one there. */
export function isError(error: unknown): error is Error {
  return types.isNativeError(error) || error instanceof Error;
}
