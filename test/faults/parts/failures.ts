/**
 * What the service answers when the last try of a command fails, error by error: the table that the fail points are
 * played against (decisions, "Errors"). It is written from the promises and not from the code.
 */

/** 409 and 412 are the service's own findings; 500 is a bare one, told to `onError` only. */
export type Outcome = 'done' | '409' | '500' | '503' | '504';

export interface Failure {
  readonly name: string;
  /** For `failCommand`. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Of a read; none where only writes fail so. */
  readonly read?: readonly Outcome[];
  readonly write: readonly Outcome[];
  /** The driver tries again, so that one failure is none: reads always, writes where they are retryable. */
  readonly isRetried?: boolean;
  /** Carried out all the same. */
  readonly isApplied?: boolean;
}

const passing = ['503'] as const;
const late = ['504'] as const;
const bug = ['500'] as const;
/**
 * The driver cannot make the connection new that such an error wants: whether a write was carried out, it does not say.
 */
const unsaid = ['504'] as const;

type Row = readonly [code: number, name: string, read: readonly Outcome[], write: readonly Outcome[], isRetried?: boolean];

const rows: readonly Row[] = [
  [1, 'InternalError', bug, bug],
  [6, 'HostUnreachable', passing, passing, true],
  [7, 'HostNotFound', passing, passing, true],
  [8, 'UnknownError', bug, bug],
  [11, 'UserNotFound', bug, bug],
  [13, 'Unauthorized', bug, bug],
  [24, 'LockTimeout', late, late],
  [43, 'CursorNotFound', bug, bug],
  [50, 'MaxTimeMSExpired', late, late],
  [64, 'WriteConcernFailed', passing, passing],
  [89, 'NetworkTimeout', passing, passing, true],
  [91, 'ShutdownInProgress', passing, passing, true],
  [96, 'OperationFailed', bug, bug],
  [112, 'WriteConflict', passing, passing],
  [134, 'ReadConcernMajorityNotAvailableYet', passing, passing],
  [146, 'ExceededMemoryLimit', late, late],
  [175, 'QueryPlanKilled', passing, passing],
  [189, 'PrimarySteppedDown', passing, passing, true],
  [202, 'NetworkInterfaceExceededTimeLimit', passing, passing],
  [211, 'KeyNotFound', bug, bug],
  [251, 'NoSuchTransaction', bug, bug],
  [262, 'ExceededTimeLimit', late, late, true],
  [292, 'QueryExceededMemoryLimitNoDiskUseAllowed', late, late],
  [384, 'ConnectionError', bug, bug],
  [391, 'ReauthenticationRequired', bug, unsaid],
  [462, 'IngressRequestRateLimitExceeded', passing, passing],
  [9001, 'SocketException', passing, passing, true],
  [10107, 'NotWritablePrimary', passing, passing, true],
  [11600, 'InterruptedAtShutdown', passing, passing, true],
  [11601, 'Interrupted', passing, passing],
  [11602, 'InterruptedDueToReplStateChange', passing, passing, true],
  [13435, 'NotPrimaryNoSecondaryOk', passing, passing, true],
  [13436, 'NotPrimaryOrSecondary', passing, passing, true],
  [14031, 'OutOfDiskSpace', passing, passing],
];

const errors = rows.map(
  ([errorCode, name, read, write, isRetried = false]): Failure => ({
    name: `${errorCode} ${name}`,
    data: { errorCode },
    read,
    write,
    isRetried,
  }),
);

/** Of a read it would be nonsense, and is answered as such; in a handler it is taken for the handler's own. */
const duplicate: Failure = {
  name: '11000 DuplicateKey',
  data: { errorCode: 11_000, errorExtraInfo: { keyPattern: { _id: 1 }, keyValue: { _id: 'x' } } },
  read: ['500', '409'],
  write: ['409'],
};

/** The connection is closed before the command runs: the driver cannot know, so neither can the answer. */
const closed: Failure = { name: 'closed connection', data: { closeConnection: true }, read: passing, write: ['504'], isRetried: true };

/** Written, but not to as many servers as were asked for. */
const concerns = [
  [64, false],
  [79, false],
  [91, true],
  [100, false],
  [189, true],
  [11600, true],
  [11602, true],
] as const;

const writeConcernErrors = concerns.map(
  ([code, isRetried]): Failure => ({
    name: `write concern error ${code}`,
    data: { writeConcernError: { code, errmsg: 'of the test' } },
    write: ['504'],
    isRetried,
    isApplied: true,
  }),
);

export const failures: readonly Failure[] = [...errors, duplicate, closed, ...writeConcernErrors];

/**
 * The errors that a second try may fail with when the answer to the first was lost: nothing but 504 is true then. Not a
 * duplicate key: where a retry gets so far, the database has not carried out the first try.
 */
export const answersToRetries: readonly number[] = rows.map(([code]) => code);
