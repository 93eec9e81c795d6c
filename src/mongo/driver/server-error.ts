import { types } from 'node:util';

/** The driver's error for a server that has answered with an error. */
export interface ServerError extends Error {
  readonly code: number;
  /** The index of a duplicate key. Missing if the error is that of one of several writes. */
  readonly keyPattern?: unknown;
}

/** MongoDB's error codes. */
export const serverCodes = { namespaceNotFound: 26, duplicateKey: 11000 } as const;

/** Whether an error is a {@link ServerError}. It goes by name and code, because an application may have several copies of the driver. */
export function isServerError(error: unknown, code?: number): error is ServerError {
  if (!isError(error) || !/^Mongo\w*Error$/.test(error.name) || !('code' in error)) return false;
  return typeof error.code === 'number' && (code === undefined || error.code === code);
}

/** Whether a value is an error. In a `node:vm` context, `instanceof Error` is false for the errors of Node itself. */
export function isError(error: unknown): error is Error {
  return types.isNativeError(error) || error instanceof Error;
}
