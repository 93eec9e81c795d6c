import { isProblem, Problem, type ProblemCode } from '../../errors.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { duplicateKey, type Told } from './duplicate-key.ts';
import { refusedByValidator } from './refused-by-validator.ts';
import { hasLabel, isError, isServerError, isSocketError, type ServerError, serverCodes } from './server-error.ts';
import { BudgetSpent, DatabaseAway, DeadlineExceeded } from './time-limit.ts';

/** The state of a command when it failed. */
export interface FailedCommand {
  readonly model: CompiledModel;
  readonly isWrite: boolean;
  /** Whether it reads many records, so that filters could make it faster. */
  readonly isList?: boolean;
  /** How often the command was handed to a connection. */
  readonly handOvers: number;
  /** Whether it is part of a transaction, which is not committed after an error. */
  readonly isInTransaction?: boolean;
  /** Whether the driver knows of no server at the moment that could take the command. */
  readonly isWithoutServer: boolean;
  /** Whether commands pass through a router (mongos). */
  readonly isRouted: boolean;
  /** The writer, whom a 409 for a duplicate key tells which fields collide. @default the application itself */
  readonly writer?: Told | undefined;
}

/** The kinds of errors of a failed command. */
type Fault =
  | 'duplicate' // a unique index has these values
  | 'too large' // the record would be larger than the database stores
  | 'passing' // the server refuses at the moment, and may accept later
  | 'conflict' // other writes of the same records were faster
  | 'network of the server' // a server could not reach another one
  | 'time limit' // the server has stopped the command, or cannot continue it
  | 'write concern' // written, but not on as many servers as the write concern demands
  | 'refused' // the server has answered with any other error
  | 'no connection' // no server, no connection from the pool, or the connection ended before the answer
  | 'deadline' // our own deadline has passed, and the database has not answered
  | 'too long' // the request, or the transaction, takes longer than it may, while the database answers
  | 'strange'; // any other error

/**
 * How far a command had come. A write is `unsent`, or was handed to a connection `once` or `again`. After that the
 * database may carry it out whatever happens, unless its answer says otherwise. If the driver has retried a write, only
 * the last answer is known. A write in a transaction is `uncommitted`: it has no effect, because an error ends the
 * transaction.
 */
type Stage = 'read' | 'unsent' | 'once' | 'again' | 'uncommitted';

type Meaning = Extract<
  ProblemCode,
  | 'duplicate_key'
  | 'body_too_large'
  | 'database_unavailable'
  | 'database_timeout'
  | 'write_conflict'
  | 'write_timeout'
  | 'write_outcome_unknown'
>;

const bug = undefined;

/**
 * The problem for the client. 503 `database_unavailable`, `write_conflict` and `write_timeout` promise that a write was
 * not carried out and will not be; 504 `write_outcome_unknown` promises nothing. For a `bug` the error itself is
 * thrown, which is a 500.
 */
const meanings: Readonly<Record<Fault, Readonly<Record<Stage, Meaning | undefined>>>> = {
  duplicate: { read: bug, unsent: bug, once: 'duplicate_key', again: 'write_outcome_unknown', uncommitted: 'duplicate_key' },
  'too large': { read: bug, unsent: bug, once: 'body_too_large', again: 'write_outcome_unknown', uncommitted: 'body_too_large' },
  passing: {
    read: 'database_unavailable',
    unsent: 'database_unavailable',
    once: 'database_unavailable',
    again: 'write_outcome_unknown',
    uncommitted: 'database_unavailable',
  },
  conflict: {
    read: 'database_unavailable',
    unsent: 'write_conflict',
    once: 'write_conflict',
    again: 'write_outcome_unknown',
    uncommitted: 'write_conflict',
  },
  'network of the server': {
    read: 'database_unavailable',
    unsent: 'database_unavailable',
    once: 'write_outcome_unknown',
    again: 'write_outcome_unknown',
    uncommitted: 'database_unavailable',
  },
  'time limit': {
    read: 'database_timeout',
    unsent: 'database_unavailable',
    once: 'write_outcome_unknown',
    again: 'write_outcome_unknown',
    uncommitted: 'database_unavailable',
  },
  'write concern': { read: bug, unsent: bug, once: 'write_outcome_unknown', again: 'write_outcome_unknown', uncommitted: bug },
  refused: { read: bug, unsent: bug, once: bug, again: 'write_outcome_unknown', uncommitted: bug },
  'no connection': {
    read: 'database_unavailable',
    unsent: 'database_unavailable',
    once: 'write_outcome_unknown',
    again: 'write_outcome_unknown',
    uncommitted: 'database_unavailable',
  },
  deadline: {
    read: 'database_timeout',
    unsent: 'database_unavailable',
    once: 'write_outcome_unknown',
    again: 'write_outcome_unknown',
    uncommitted: 'database_unavailable',
  },
  'too long': {
    read: 'database_timeout',
    unsent: 'write_timeout',
    once: 'write_outcome_unknown',
    again: 'write_outcome_unknown',
    uncommitted: 'write_timeout',
  },
  strange: { read: bug, unsent: bug, once: 'write_outcome_unknown', again: 'write_outcome_unknown', uncommitted: bug },
};

/** The server's error codes that are not `refused`, with the names that MongoDB gives them. */
const faultsByCode: ReadonlyMap<unknown, Fault> = new Map<number, Fault>([
  [6, 'network of the server'], // HostUnreachable
  [7, 'network of the server'], // HostNotFound
  [24, 'time limit'], // LockTimeout
  [50, 'time limit'], // MaxTimeMSExpired
  [64, 'network of the server'], // WriteConcernFailed, when it is the error of the whole command
  [89, 'network of the server'], // NetworkTimeout
  [91, 'passing'], // ShutdownInProgress
  [112, 'conflict'], // WriteConflict
  [133, 'passing'], // FailedToSatisfyReadPreference
  [134, 'passing'], // ReadConcernMajorityNotAvailableYet
  [146, 'time limit'], // ExceededMemoryLimit
  [175, 'passing'], // QueryPlanKilled
  [189, 'passing'], // PrimarySteppedDown
  [202, 'network of the server'], // NetworkInterfaceExceededTimeLimit
  [262, 'time limit'], // ExceededTimeLimit
  [serverCodes.transactionExceededLifetimeLimit, 'too long'], // TransactionExceededLifetimeLimitSeconds
  [292, 'time limit'], // QueryExceededMemoryLimitNoDiskUseAllowed
  [365, 'passing'], // TemporarilyUnavailable
  [462, 'passing'], // IngressRequestRateLimitExceeded
  [9001, 'network of the server'], // SocketException
  [10107, 'passing'], // NotWritablePrimary
  [10334, 'too large'], // BSONObjectTooLarge
  [11000, 'duplicate'], // DuplicateKey
  [11600, 'passing'], // InterruptedAtShutdown
  [11601, 'passing'], // Interrupted
  [11602, 'passing'], // InterruptedDueToReplStateChange
  [13388, 'passing'], // StaleConfig
  [13435, 'passing'], // NotPrimaryNoSecondaryOk
  [13436, 'passing'], // NotPrimaryOrSecondary
  [14031, 'passing'], // OutOfDiskSpace
  [17280, 'too large'], // KeyTooLong
  [17419, 'too large'], // the record after an update
  [17420, 'too large'], // the record of an upsert
]);

/**
 * The driver's errors by name. An application may have several copies of the driver, and the driver exports only some
 * of these classes.
 */
const faultsByName: ReadonlyMap<string, Fault> = new Map<string, Fault>([
  ['MongoWriteConcernError', 'write concern'],
  ['MongoServerSelectionError', 'no connection'],
  ['MongoPoolClearedError', 'no connection'],
  ['MongoPoolClearedOnNetworkError', 'no connection'],
  ['MongoPoolClosedError', 'no connection'],
  ['MongoWaitQueueTimeoutError', 'no connection'],
  ['MongoNotConnectedError', 'no connection'],
  ['MongoTopologyClosedError', 'no connection'],
  ['MongoServerClosedError', 'no connection'],
  ['MongoClientClosedError', 'no connection'],
  ['MongoNetworkError', 'no connection'],
  ['MongoNetworkTimeoutError', 'no connection'],
  ['MongoUnexpectedServerResponseError', 'no connection'],
  ['MongoStalePrimaryError', 'no connection'],
  ['MongoSystemError', 'no connection'],
  ['MongoOperationTimeoutError', 'deadline'], // for a client with `timeoutMS`
]);

/** The common members of the driver's errors. */
interface DriverError extends Error {
  readonly code?: unknown;
  readonly keyPattern?: unknown;
}

/**
 * Returns the {@link Problem} that an error of a command means to the client, or the error itself if it is a bug (500).
 */
export function explainFailure(error: unknown, command: FailedCommand): unknown {
  if (!isError(error) || isProblem(error)) return error;
  if (command.isInTransaction && isWithoutTransactions(error)) return replicaSetRequired('transactions', error);
  const meaning = meaningOf(error, command);
  if (meaning === 'duplicate_key') return duplicateKey(error as ServerError, command.model, command.writer);
  if (meaning) return new Problem({ code: meaning, detail: detailOf(meaning, error, command), cause: error });
  return isServerError(error, serverCodes.documentValidationFailure) ? refusedByValidator(error, command.model) : error;
}

/** The database has no other code for it. */
function isWithoutTransactions(error: Error): boolean {
  return isServerError(error, serverCodes.illegalOperation) && error.message.includes('replica set');
}

/** 501: a standalone server has no transactions. */
export function replicaSetRequired(what: 'transactions' | 'change streams', cause?: unknown): Problem {
  const detail = `This needs ${what}, which the database of this service does not have: it must run as a replica set.`;
  return new Problem({ code: 'replica_set_required', detail, cause });
}

function meaningOf(error: DriverError, command: FailedCommand): Meaning | undefined {
  const fault = faultOf(error, command);
  if (command.isInTransaction && hasLabel(error, 'TransientTransactionError'))
    return fault === 'conflict' ? 'write_conflict' : 'database_unavailable'; // unless another attempt succeeds
  const stage = stageOf(error, fault, command);
  const isWaiting = command.handOvers === 0 || command.isWithoutServer; // for a server, or for a connection of an exhausted pool
  return fault === 'deadline' && stage === 'read' && isWaiting ? 'database_unavailable' : meanings[fault][stage];
}

function faultOf(error: DriverError, { isRouted, isInTransaction }: FailedCommand): Fault {
  if (error instanceof BudgetSpent) return 'too long';
  if (error instanceof DeadlineExceeded) return 'deadline';
  if (error instanceof DatabaseAway || isSocketError(error)) return 'no connection';
  const named = faultsByName.get(error.name);
  if (named) return named;
  if (!isServerError(error)) return 'strange';
  if (hasLabel(error, 'SystemOverloadedError')) return 'passing';
  if (isInTransaction && error.code === serverCodes.maxTimeMSExpired) return 'too long';
  const fault = faultsByCode.get(error.code) ?? 'refused';
  return fault === 'network of the server' && !isRouted ? 'passing' : fault; // the server that answered has done nothing
}

function stageOf(error: DriverError, fault: Fault, { isWrite, handOvers, isInTransaction }: FailedCommand): Stage {
  if (isInTransaction && (isWrite || fault === 'too long')) return 'uncommitted'; // the reads of a transaction are a part of its write
  if (!isWrite) return 'read';
  if (handOvers === 0) return 'unsent';
  if (hasLabel(error, 'HandshakeError')) return 'again'; // the connection for the retry failed: the outcome of the first try is unknown
  if (handOvers === 1) return 'once';
  // The driver throws an error with this label only if no try of the command has written anything.
  if (hasLabel(error, 'NoWritesPerformed')) return 'once';
  // A server that has compared the keys of the index knows the outcome of the earlier tries.
  return fault === 'duplicate' && error.keyPattern !== undefined ? 'once' : 'again';
}

const details: Readonly<Record<Exclude<Meaning, 'duplicate_key'>, string>> = {
  body_too_large: 'The record would become larger than the database stores.',
  database_unavailable: 'The database is not available at the moment; try again.',
  write_conflict:
    'Other requests were changing the same records until the time of this one was over (`maxTimeMS`); nothing was written. Try again.',
  write_timeout: 'The request has used up its time in the database (`maxTimeMS`), and nothing was written.',
  database_timeout: 'The database did not answer within its time limit; try again.',
  write_outcome_unknown: 'The database did not answer in time; read the record to see whether it was written.',
};

const outlived = 'The transaction of the request has lasted longer than the database allows, and nothing was written.';

function detailOf(meaning: Exclude<Meaning, 'duplicate_key'>, error: Error, { isList }: FailedCommand): string {
  if (meaning === 'write_timeout' && isServerError(error, serverCodes.transactionExceededLifetimeLimit)) return outlived;
  if (meaning === 'database_timeout' && isList) return 'The query took longer than its time limit; narrow it by filters.';
  return details[meaning];
}

/** 503: the time of the request is over before the commit. */
export function budgetSpent(cause: BudgetSpent): Problem {
  return new Problem({ code: 'write_timeout', detail: details.write_timeout, cause });
}

/** 503: the database has ended the transaction because of its age. */
export function transactionOutlived(cause: unknown): Problem {
  return new Problem({ code: 'write_timeout', detail: outlived, cause });
}

/** 503: other writes were faster until the time of the request was over. */
export function writeConflict(cause: unknown): Problem {
  return new Problem({ code: 'write_conflict', detail: details.write_conflict, cause });
}

/** Whether an error that {@link explainFailure} returned means that another record has the id. */
export function isIdTaken(problem: unknown): boolean {
  if (!isProblem(problem) || problem.code !== 'duplicate_key') return false;
  return Object.keys((problem.cause as DriverError | undefined)?.keyPattern ?? {}).join() === '_id';
}
