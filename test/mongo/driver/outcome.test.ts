import { runInNewContext } from 'node:vm';
import { MongoClientClosedError, MongoError, MongoNetworkError, MongoNetworkTimeoutError, MongoServerError } from 'mongodb';
import { Problem } from '../../../src/errors.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { defineModel } from '../../../src/model/define/define-model.ts';
import { t } from '../../../src/model/define/t.ts';
import { explainFailure, type FailedCommand, isIdTaken } from '../../../src/mongo/driver/outcome.ts';
import { isSocketError } from '../../../src/mongo/driver/server-error.ts';
import { BudgetSpent, DatabaseAway, DeadlineExceeded } from '../../../src/mongo/driver/time-limit.ts';

const model = compileModel(
  defineModel('Doc', {
    collection: 'docs',
    fields: { code: t.string(), secret: t.string({ policy: { private: true } }), place: t.object('Place', { zip: t.string() }) },
  }),
);
const read: FailedCommand = { model, isWrite: false, handOvers: 1, isWithoutServer: false, isRouted: false };
const write = (handOvers: number): FailedCommand => ({ ...read, isWrite: true, handOvers });
const server = (code: number, more = {}) => new MongoServerError({ message: 'hunter2', code, ...more });
const named = (name: string) => Object.defineProperty(new MongoError('hunter2'), 'name', { value: name });
const coded = (code: string) => Object.assign(new Error('hunter2'), { code });
const labelled = (error: MongoError, label: string) => {
  error.addErrorLabel(label);
  return error;
};

const away = 'database_unavailable';
const slow = 'database_timeout';
const unknown = 'write_outcome_unknown';
const tooLong = 'write_timeout';
const lost = 'write_conflict';

describe('explainFailure()', () => {
  it.each<[string, unknown, read: string, unsent: string, once: string, again: string]>([
    ['a time limit of the database', server(50), slow, away, unknown, unknown],
    ['a query that needs too much memory', server(292), slow, away, unknown, unknown],
    ['the own deadline', new DeadlineExceeded(), slow, away, unknown, unknown],
    ['a request whose time is spent', new BudgetSpent(), slow, tooLong, unknown, unknown],
    ['a database that is away', new DatabaseAway(), away, away, unknown, unknown],
    ['no server', named('MongoServerSelectionError'), away, away, unknown, unknown],
    ['no connection from the pool', named('MongoWaitQueueTimeoutError'), away, away, unknown, unknown],
    ['a cleared pool', named('MongoPoolClearedError'), away, away, unknown, unknown],
    ['a connection that cannot be made', labelled(new MongoNetworkError('x'), 'HandshakeError'), away, away, unknown, unknown],
    ['a new connection that the server refuses', labelled(server(91), 'HandshakeError'), away, away, unknown, unknown],
    ['a broken connection', new MongoNetworkError('hunter2'), away, away, unknown, unknown],
    ['a silent connection', new MongoNetworkTimeoutError('hunter2'), away, away, unknown, unknown],
    ["a connection that is reset, in Node's own words", coded('ECONNRESET'), away, away, unknown, unknown],
    ['a socket that the other side has ended', coded('EPIPE'), away, away, unknown, unknown],
    ['a client that was closed', new MongoClientClosedError(), away, away, unknown, unknown],
    ['a primary that is none any more', server(10107), away, away, away, unknown],
    ['a server that shuts down', server(91), away, away, away, unknown],
    ['a conflict of writes', server(112), away, lost, lost, unknown],
    ['a full disk', server(14031), away, away, away, unknown],
    ['a server that cannot reach another', server(6), away, away, away, unknown],
    ['a server that is overloaded', labelled(server(462), 'SystemOverloadedError'), away, away, away, unknown],
  ])('says what %s means to a read, and to a write that was not sent, sent once, and sent again', (_name, error, ...codes) => {
    const commands = [read, write(0), write(1), write(2)];
    const problems = commands.map((command) => explainFailure(error, command) as Problem);
    expect(problems.map(({ code }) => code)).toEqual(codes);
    for (const problem of problems) {
      expect(problem).toBeInstanceOf(Problem);
      expect(problem.cause).toBe(error);
      expect(problem.headers).toEqual({ 'retry-after': '1' });
      expect(JSON.stringify(problem.toDocument())).not.toMatch(/hunter2|Mongo|docs/);
    }
  });

  const codesOf = (error: unknown) =>
    [read, write(0), write(1), write(2)].map((command) => {
      const outcome = explainFailure(error, command);
      return outcome instanceof Problem ? outcome.code : outcome;
    });

  // https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml
  it('takes the code 112 for a write that was slower than others', () => {
    expect(codesOf(server(112))).toEqual([away, lost, lost, unknown]);
  });

  it.each([91, 133, 134, 175, 189, 365, 462, 10107, 11600, 11601, 11602, 13388, 13435, 13436, 14031])(
    'takes the code %i for a server that refuses at the moment',
    (code) => {
      expect(codesOf(server(code))).toEqual([away, away, away, unknown]);
    },
  );

  it.each([24, 50, 146, 262, 292])('takes the code %i for a server that has given up', (code) => {
    expect(codesOf(server(code))).toEqual([slow, away, unknown, unknown]);
  });

  it.each([6, 7, 64, 89, 202, 9001])('takes the code %i for a server that has done nothing, as it could not reach another', (code) => {
    expect(codesOf(server(code))).toEqual([away, away, away, unknown]);
  });

  it.each([10334, 17280, 17419, 17420])('takes the code %i for a record that is too large', (code) => {
    const error = server(code);
    expect(codesOf(error)).toEqual([error, error, 'body_too_large', unknown]);
  });

  it.each([
    'MongoServerSelectionError',
    'MongoPoolClearedError',
    'MongoPoolClearedOnNetworkError',
    'MongoPoolClosedError',
    'MongoWaitQueueTimeoutError',
    'MongoNotConnectedError',
    'MongoTopologyClosedError',
    'MongoServerClosedError',
    'MongoClientClosedError',
    'MongoSystemError',
    'MongoNetworkError',
    'MongoNetworkTimeoutError',
    'MongoUnexpectedServerResponseError',
    'MongoStalePrimaryError',
  ])("takes the driver's %s for a database that is away, whatever its class", (name) => {
    expect(codesOf(named(name))).toEqual([away, away, unknown, unknown]);
  });

  it.each([
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
  ])("takes %s for a broken connection, in Node's own words", (code) => {
    expect(codesOf(coded(code))).toEqual([away, away, unknown, unknown]);
    expect(isSocketError(coded(code))).toBe(true);
    expect(isSocketError({ code })).toBe(false);
  });

  it("takes a time limit of the driver's own for a deadline", () => {
    expect(codesOf(named('MongoOperationTimeoutError'))).toEqual([slow, away, unknown, unknown]);
  });

  it('takes a write that too few servers have for unknown', () => {
    const error = Object.assign(named('MongoWriteConcernError'), { code: 11600 });
    expect(codesOf(error)).toEqual([error, error, unknown, unknown]);
  });

  it('takes a connection that an overloaded server has not accepted for no server', () => {
    for (const label of ['HandshakeError', 'SystemOverloadedError'])
      expect(codesOf(labelled(new MongoNetworkError('x'), label))).toEqual([away, away, unknown, unknown]);
    expect(codesOf(labelled(server(2), 'SystemOverloadedError'))).toEqual([away, away, away, unknown]);
  });

  it("reads codes of the driver's errors only, and numbers only", () => {
    const stranger = Object.assign(new Error('x'), { code: 11600 });
    expect(codesOf(stranger)).toEqual([stranger, stranger, unknown, unknown]);
    const text = Object.assign(named('MongoServerError'), { code: '11600' });
    expect(codesOf(text)).toEqual([text, text, unknown, unknown]);
  });

  it('needs no labels', () => {
    const bare = Object.assign(new Error('x'), { name: 'MongoServerError', code: 11600 });
    expect(codesOf(bare)).toEqual([away, away, away, unknown]);
  });

  it('knows errors of another realm', () => {
    const error: Error = runInNewContext("Object.assign(new Error('x'), { code: 'EPIPE' })");
    expect([error instanceof Error, codesOf(error)]).toEqual([false, [away, away, unknown, unknown]]);
  });

  it.each<[string, unknown, FailedCommand, string]>([
    ['a record that is too large', server(17419), write(1), 'The record would become larger than the database stores.'],
    ['a database that is away', new DatabaseAway(), read, 'The database is not available at the moment; try again.'],
    ['a slow read', server(50), read, 'The database did not answer within its time limit; try again.'],
    ['a slow list', server(50), { ...read, isList: true }, 'The query took longer than its time limit; narrow it by filters.'],
    [
      'a list while the database is away',
      new DatabaseAway(),
      { ...read, isList: true },
      'The database is not available at the moment; try again.',
    ],
    ['an unknown outcome', server(50), write(1), 'The database did not answer in time; read the record to see whether it was written.'],
  ])('tells the client what to do: %s', (_name, error, command, detail) => {
    expect(explainFailure(error, command)).toMatchObject({ detail });
  });

  it('takes a record that grew too large for refused, unless an earlier try may have succeeded', () => {
    const problems = [write(1), write(2)].map((command) => explainFailure(server(17419), command) as Problem);
    expect(problems.map(({ code, headers }) => [code, headers])).toEqual([
      ['body_too_large', {}],
      [unknown, { 'retry-after': '1' }],
    ]);
  });

  it('says of any refusal of a second try that the outcome is unknown: the first may have succeeded', () => {
    for (const error of [server(13), server(20)]) {
      expect(explainFailure(error, write(1))).toBe(error);
      expect(explainFailure(error, write(2))).toMatchObject({ code: unknown });
    }
  });

  it('says that the outcome is unknown where the connection for a second try is refused: that says nothing of the first', () => {
    const error = labelled(server(18), 'HandshakeError');
    expect(explainFailure(error, write(0))).toBe(error);
    expect(explainFailure(error, write(1))).toMatchObject({ code: unknown });
  });

  it('believes a second try that no try has written anything', () => {
    expect(explainFailure(labelled(server(462), 'NoWritesPerformed'), write(3))).toMatchObject({ code: away });
    expect(explainFailure(server(11000, { keyPattern: { code: 1 } }), write(2))).toMatchObject({ code: 'duplicate_key' });
    expect(explainFailure(server(11000), write(2))).toMatchObject({ code: unknown });
    expect(explainFailure(server(13, { keyPattern: { code: 1 } }), write(2))).toMatchObject({ code: unknown });
  });

  it('takes what a router could not hear of a shard for unknown', () => {
    for (const code of [6, 7, 64, 89, 202, 9001]) {
      const problems = [read, write(0), write(1), write(2)].map((command) => explainFailure(server(code), { ...command, isRouted: true }));
      expect(problems).toMatchObject([{ code: away }, { code: away }, { code: unknown }, { code: unknown }]);
    }
  });

  it('takes an error that is no answer of the server for unknown, where a write was sent', () => {
    const error = new TypeError('a bug of the driver');
    expect(explainFailure(error, write(1))).toMatchObject({ code: unknown });
    for (const command of [read, write(0)]) expect(explainFailure(error, command)).toBe(error);
  });

  it('tells a read that waited for a server, or for a connection, from one that was slow', () => {
    const deadline = new DeadlineExceeded();
    expect(explainFailure(deadline, { ...read, isWithoutServer: true })).toMatchObject({ code: away });
    expect(explainFailure(deadline, { ...read, handOvers: 0 })).toMatchObject({ code: away });
  });

  it.each([new BudgetSpent(), server(290), server(50)])(
    'tells a transaction that takes too long from a database that is away: %s',
    (error) => {
      for (const command of [read, write(1)])
        expect(explainFailure(error, { ...command, isInTransaction: true })).toMatchObject({ code: tooLong, status: 503 });
      expect(explainFailure(new DeadlineExceeded(), { ...write(1), isInTransaction: true })).toMatchObject({ code: away });
    },
  );

  it.each([
    [112, lost],
    [24, away],
    [251, away],
  ])('tells a transaction that was slower than others from a database that is away: code %i is %s', (code, meaning) => {
    const error = labelled(server(code), 'TransientTransactionError');
    expect(explainFailure(error, { ...write(1), isInTransaction: true })).toMatchObject({ code: meaning, status: 503 });
  });

  it('takes nothing from a missing server for a write that was sent, nor for a read that the server itself has ended', () => {
    expect(explainFailure(new DeadlineExceeded(), { ...write(1), isWithoutServer: true })).toMatchObject({ code: unknown });
    expect(explainFailure(server(50), { ...read, isWithoutServer: true })).toMatchObject({ code: 'database_timeout' });
  });

  it.each<[object, string[]]>([
    [{ code: 1 }, ['code']],
    [{ _id: 1 }, ['id']],
    [{ 'place.zip': 1, code: 1 }, ['place.zip', 'code']],
    [{ secret: 1 }, []],
    [{ secret: 1, code: 1 }, ['code']],
    [{ $text: 1 }, []],
    [{ __proto__: 1, toString: 1 }, []],
  ])('names the fields of a unique index, never a private one: %j', (keyPattern, fields) => {
    const problem = explainFailure(server(11000, { keyPattern }), write(1)) as Problem;
    expect([problem.code, problem.errors?.map(({ field }) => field) ?? []]).toEqual(['duplicate_key', fields]);
    expect((explainFailure(server(11000), write(1)) as Problem).errors).toBeUndefined();
  });

  it.each([[server(2)], ['text'], [undefined], [new Problem({ code: 'not_found' })]])('leaves everything else as it is: %o', (error) => {
    for (const command of [read, write(0), write(1)]) expect(explainFailure(error, command)).toBe(error);
  });
});

describe('isIdTaken()', () => {
  const taken = (keyPattern?: object) => explainFailure(server(11000, { keyPattern }), write(1));

  it.each<[string, unknown, boolean]>([
    ['another record with the id', taken({ _id: 1 }), true],
    ['a unique index', taken({ code: 1 }), false],
    ['a unique index that begins with the id', taken({ _id: 1, code: 1 }), false],
    ['a duplicate key of which nothing more is known', taken(), false],
    ['one that the application tells', new Problem({ code: 'duplicate_key' }), false],
    [
      'another problem, whatever it comes from',
      new Problem({ code: 'not_found', cause: server(11000, { keyPattern: { _id: 1 } }) }),
      false,
    ],
    ['no problem', server(11000, { keyPattern: { _id: 1 } }), false],
  ])('tells of %s: %o', (_name, problem, expected) => {
    expect(isIdTaken(problem)).toBe(expected);
  });
});
