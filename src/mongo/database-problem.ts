import { MongoClientClosedError, MongoError, MongoNetworkError, MongoServerError, MongoWriteConcernError } from 'mongodb';
import { type FieldError, Problem } from '../errors.ts';
import type { CompiledModel } from '../model/compile-model.ts';
import { DeadlineExceeded } from './deadline.ts';

const retryAfter = { 'retry-after': '1' };
const timeLimitCodes = new Set<unknown>([50, 24, 262]); // MaxTimeMSExpired, LockTimeout, ExceededTimeLimit
const tooLargeCodes = new Set<unknown>([10334, 17280, 17419, 17420]); // BSONObjectTooLarge, KeyTooLong, and two of a grown document
const steppedDownCodes = new Set<unknown>([91, 189, 10107, 11600, 11602, 13435, 13436]); // shutting down, or no longer the primary

// No server, or no connection from the pool. By name, because the driver exports only some of these classes.
const away = new Set([
  'MongoServerSelectionError',
  'MongoPoolClearedError',
  'MongoPoolClosedError',
  'MongoWaitQueueTimeoutError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
]);

/** What failed. A broken write is one whose connection broke at one of its tries: the database may have carried it out. */
export type CommandKind = 'read' | 'write' | 'broken write';

/**
 * What an error of the driver means to the client: a {@link Problem}, or the error itself where it is a bug (500).
 *
 * A write that was cut off may have been carried out, so its problem says that nobody knows, and never that it was not done. `isAway` says
 * that our deadline passed while there was no server to send to: for a read at its end, for a write from its beginning to its end.
 */
export function toDatabaseProblem(error: unknown, model: CompiledModel, kind: CommandKind, isAway = false): unknown {
  if (error instanceof MongoWriteConcernError) return outcomeUnknown(error); // written, but not to as many servers as was asked for
  if (error instanceof MongoServerError) {
    if (error.code === 11000) return duplicateKey(error, model);
    if (timeLimitCodes.has(error.code)) return kind === 'read' ? timeLimit(error) : outcomeUnknown(error);
    if (steppedDownCodes.has(error.code)) return unavailable(error);
    if (tooLargeCodes.has(error.code))
      return new Problem('body_too_large', 'The record would become larger than the database stores.', { cause: error });
  }
  if (error instanceof DeadlineExceeded && isAway && kind !== 'broken write') return unavailable(error);
  if (error instanceof DeadlineExceeded) return kind === 'read' ? timeLimit(error) : outcomeUnknown(error);
  if (isUnsent(error)) return kind === 'broken write' ? outcomeUnknown(error) : unavailable(error);
  if (error instanceof MongoNetworkError || error instanceof MongoClientClosedError)
    return kind === 'read' ? unavailable(error) : outcomeUnknown(error);
  return error;
}

/** Whether the last try of a command never left: no server, no connection from the pool, or none that could be made. */
function isUnsent(error: unknown): boolean {
  if (!(error instanceof MongoError)) return false;
  const isConnecting = error.hasErrorLabel('HandshakeError') || error.hasErrorLabel('SystemOverloadedError');
  return away.has(error.name) || (error instanceof MongoNetworkError && isConnecting);
}

function unavailable(cause: unknown): Problem {
  return new Problem('database_unavailable', 'The database cannot be reached at the moment; try again.', { headers: retryAfter, cause });
}

function timeLimit(cause: unknown): Problem {
  return new Problem('database_timeout', 'The query took longer than its time limit; narrow it by filters.', { cause });
}

function outcomeUnknown(cause: unknown): Problem {
  return new Problem('write_outcome_unknown', 'The database did not answer in time; read the record to see whether it was written.', {
    cause,
  });
}

/** 409, naming the fields of the unique index as clients call them, never a private one. */
function duplicateKey(error: MongoServerError, model: CompiledModel): Problem {
  const errors = Object.keys((error['keyPattern'] ?? {}) as object).flatMap((path): FieldError[] => {
    const name = path === '_id' ? 'id' : path;
    return model.clientFields.has(name) ? [{ field: name, message: 'is already taken' }] : [];
  });
  return new Problem(
    'duplicate_key',
    'A record with these values exists already.',
    errors.length > 0 ? { errors, cause: error } : { cause: error },
  );
}
