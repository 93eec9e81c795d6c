import { describe, expect, it } from '@jest/globals';
import { MongoClientClosedError, MongoError, MongoNetworkError, MongoNetworkTimeoutError, MongoServerError } from 'mongodb';
import { Problem } from '../../src/errors.ts';
import { defineModel, t } from '../../src/index.ts';
import { compileModel } from '../../src/model/compile-model.ts';
import { type CommandKind, toDatabaseProblem } from '../../src/mongo/database-problem.ts';
import { DeadlineExceeded } from '../../src/mongo/deadline.ts';

const model = compileModel(
  defineModel('Doc', {
    collection: 'docs',
    fields: { code: t.string(), secret: t.string({ policy: { private: true } }), place: t.object('Place', { zip: t.string() }) },
  }),
);
const server = (code: number, more = {}) => new MongoServerError({ message: 'hunter2', code, ...more });
const named = (name: string) => Object.defineProperty(new MongoError('hunter2'), 'name', { value: name });
const connecting = () => {
  const error = new MongoNetworkError('hunter2');
  error.addErrorLabel('HandshakeError');
  return error;
};

describe('toDatabaseProblem()', () => {
  it.each<[string, unknown, read: string, write: string, broken: string]>([
    ['a time limit of the database', server(50), 'database_timeout', 'write_outcome_unknown', 'write_outcome_unknown'],
    ['the own deadline', new DeadlineExceeded(), 'database_timeout', 'write_outcome_unknown', 'write_outcome_unknown'],
    ['no server', named('MongoServerSelectionError'), 'database_unavailable', 'database_unavailable', 'write_outcome_unknown'],
    [
      'no connection from the pool',
      named('MongoWaitQueueTimeoutError'),
      'database_unavailable',
      'database_unavailable',
      'write_outcome_unknown',
    ],
    ['a cleared pool', named('MongoPoolClearedError'), 'database_unavailable', 'database_unavailable', 'write_outcome_unknown'],
    ['a connection that cannot be made', connecting(), 'database_unavailable', 'database_unavailable', 'write_outcome_unknown'],
    ['a broken connection', new MongoNetworkError('hunter2'), 'database_unavailable', 'write_outcome_unknown', 'write_outcome_unknown'],
    [
      'a silent connection',
      new MongoNetworkTimeoutError('hunter2'),
      'database_unavailable',
      'write_outcome_unknown',
      'write_outcome_unknown',
    ],
    ['a client that was closed', new MongoClientClosedError(), 'database_unavailable', 'write_outcome_unknown', 'write_outcome_unknown'],
    ['a primary that is none any more', server(10107), 'database_unavailable', 'database_unavailable', 'database_unavailable'],
    ['a record that grew too large', server(17419), 'body_too_large', 'body_too_large', 'body_too_large'],
  ])('tells the client what %s means, for a read, a write and a write whose connection broke', (_name, error, ...codes) => {
    const kinds: CommandKind[] = ['read', 'write', 'broken write'];
    const problems = kinds.map((kind) => toDatabaseProblem(error, model, kind) as Problem);
    expect(problems.map(({ code }) => code)).toEqual(codes);
    for (const problem of problems) {
      expect(problem).toBeInstanceOf(Problem);
      expect(problem.cause).toBe(error);
      expect(problem.headers).toEqual(problem.status === 503 ? { 'retry-after': '1' } : {});
      expect(JSON.stringify(problem.toDocument())).not.toMatch(/hunter2|not (?:been )?(?:done|written|saved)/);
    }
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
    const problem = toDatabaseProblem(server(11000, { keyPattern }), model, 'write') as Problem;
    expect([problem.code, problem.errors?.map(({ field }) => field) ?? []]).toEqual(['duplicate_key', fields]);
    expect((toDatabaseProblem(server(11000), model, 'write') as Problem).errors).toBeUndefined();
  });

  it.each([[server(2)], [server(121)], [new TypeError('bug')], ['text'], [undefined], [new Problem('not_found')]])(
    'leaves everything else as it is: %p',
    (error) => {
      for (const kind of ['read', 'write', 'broken write'] as const) expect(toDatabaseProblem(error, model, kind)).toBe(error);
    },
  );
});

describe('our deadline while the database is away', () => {
  it.each<[CommandKind, code: string]>([
    ['read', 'database_unavailable'],
    ['write', 'database_unavailable'],
    ['broken write', 'write_outcome_unknown'],
  ])('is no slow query, and unknown only to a write that may have left: %s', (kind, code) => {
    expect(toDatabaseProblem(new DeadlineExceeded(), model, kind, true)).toMatchObject({ code });
  });
});
