import { types } from 'node:util';

/** The driver's error for a server that has answered with an error. */
export interface ServerError extends Error {
  readonly code: number;
  /** The index of a duplicate key. Missing if the driver throws one error for several writes. */
  readonly keyPattern?: unknown;
}

/** MongoDB's error codes. */
export const serverCodes = {
  illegalOperation: 20,
  namespaceNotFound: 26,
  indexNotFound: 27,
  namespaceExists: 48,
  maxTimeMSExpired: 50,
  writeConflict: 112,
  documentValidationFailure: 121,
  exceededMemoryLimit: 146,
  noSuchTransaction: 251,
  transactionExceededLifetimeLimit: 290,
  noQueryExecutionPlans: 291,
  queryExceededMemoryLimit: 292,
  duplicateKey: 11000,
  unknownTimeZone: 40485,
  windowExceededMemoryLimit: 5643011,
} as const;

/**
 * Whether an error is a {@link ServerError}. It goes by name and code, because an application may have several copies
 * of the driver.
 */
export function isServerError(error: unknown, code?: number): error is ServerError {
  if (!isError(error) || !/^Mongo\w*Error$/.test(error.name) || !('code' in error)) return false;
  return typeof error.code === 'number' && (code === undefined || error.code === code);
}

/** Whether a value is an error. In a `node:vm` context, `instanceof Error` is false for the errors of Node itself. */
export function isError(error: unknown): error is Error {
  return types.isNativeError(error) || error instanceof Error;
}

/** Whether the driver or the server has given an error this label. */
export function hasLabel(error: unknown, label: string): boolean {
  return isError(error) && (error as { hasErrorLabel?(label: string): boolean }).hasErrorLabel?.(label) === true;
}

/** Errors of a broken connection, by the driver's names. */
const networkErrors = new Set(['MongoNetworkError', 'MongoNetworkTimeoutError', 'MongoPoolClearedError', 'MongoPoolClearedOnNetworkError']);
/** Codes of the specification of retryable reads: a server that shuts down, or cannot reach others. */
const retryableCodes = new Set([6, 7, 89, 91, 134, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436]);

/** Whether a read that failed so may be sent once more, as the driver does it (its specification "Retryable Reads"). */
export function isRetryableRead(error: unknown): boolean {
  if (!isError(error)) return false;
  return networkErrors.has(error.name) || (isServerError(error) && retryableCodes.has(error.code));
}

/** The codes of Node's errors for a socket that ends during a write. The driver throws these errors as they are. */
const socketCodes: ReadonlySet<unknown> = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTCONN',
  'EPROTO',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_SOCKET_CLOSED',
]);

/** Whether an error is one of Node's own errors of a socket. */
export function isSocketError(error: unknown): boolean {
  return isError(error) && 'code' in error && socketCodes.has(error.code);
}

/**
 * Whether a command has failed without an answer of the database. Errors of other libraries and of ours are thrown
 * after an answer.
 */
export function isWithoutAnswer(error: unknown): boolean {
  return isSocketError(error) || (isError(error) && /^Mongo\w*Error$/.test(error.name) && !isServerError(error));
}
