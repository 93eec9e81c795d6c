import { describe, expect, it } from '@jest/globals';
import { MongoClientClosedError, MongoError, MongoNetworkError, MongoNetworkTimeoutError, MongoServerError } from 'mongodb';
import { Problem } from '../../../src/errors.ts';
import { defineModel, t } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { defineModel } from '../../../src/model/define-model.ts';
import { t } from '../../../src/model/t.ts';
import { explainFailure, type FailedCommand } from '../../../src/mongo/driver/outcome.ts';
import { DatabaseAway, DeadlineExceeded } from '../../../src/mongo/driver/work.ts';

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

describe('explainFailure()', () => {
  it.each<[string, unknown, read: string, unsent: string, once: string, again: string]>([
    ['a time limit of the database', server(50), slow, away, unknown, unknown],
    ['a query that needs too much memory', server(292), slow, away, unknown, unknown],
    ['the own deadline', new DeadlineExceeded(), slow, away, unknown, unknown],
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
    ['a conflict of writes', server(112), away, away, away, unknown],
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

  it('takes a record that grew too large for refused, unless an earlier try may have succeeded', () => {
    const problems = [write(1), write(2)].map((command) => explainFailure(server(17419), command) as Problem);
    expect(problems.map(({ code, headers }) => [code, headers])).toEqual([
      ['body_too_large', {}],
      [unknown, { 'retry-after': '1' }],
    ]);
  });

  it('says of any refusal of a second try that the outcome is unknown: the first may have succeeded', () => {
    for (const error of [server(13), server(121)]) {
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
  });

  it('takes what a router could not hear of a shard for unknown', () => {
    const routed = { ...write(1), isRouted: true };
    for (const code of [6, 7, 64, 89, 9001]) {
      expect(explainFailure(server(code), routed)).toMatchObject({ code: unknown });
      expect(explainFailure(server(code), { ...read, isRouted: true })).toMatchObject({ code: away });
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

  it('speaks of filters where they would help only', () => {
    expect(explainFailure(server(50), { ...read, isList: true })).toMatchObject({ detail: expect.stringMatching(/filters/) });
    expect(explainFailure(server(50), read)).toMatchObject({ detail: expect.not.stringMatching(/filters/) });
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

  it.each([[server(2)], ['text'], [undefined], [new Problem({ code: 'not_found' })]])('leaves everything else as it is: %p', (error) => {
    for (const command of [read, write(0), write(1)]) expect(explainFailure(error, command)).toBe(error);
  });
});
