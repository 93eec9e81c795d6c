import { type CommandStartedEvent, MongoClient } from 'mongodb';
import type { Api } from '../../src/index.ts';
import { Asked } from '../support/asked.ts';
import { useDatabase } from '../support/database/database.ts';
import { expectGolden } from '../support/golden.ts';
import { type TestServer, useServer } from '../support/http/serve.ts';
import { allCases } from '../support/matrix/describe-matrix.ts';
import { type Matrix, serveMatrix } from '../support/matrix/serve-matrix.ts';
import { store } from '../support/matrix/stored.ts';
import { type Opened, openWays, wayNames, ways } from '../support/matrix/ways.ts';
import { everyOperation, type Sent, seed } from '../support/operations/every-operation.ts';
import { collections } from '../support/operations/models.ts';
import { serveEveryOperation } from '../support/operations/serve-every-operation.ts';

/** Hundreds of requests. */
const limitMS = 600_000;

const database = useDatabase({ monitorCommands: true });
const serve = useServer();
const asked = new Asked();
/** What a key and a change stream send at their own time tells nothing of what was read. */
const isOfRequest = ({ commandName, command }: CommandStartedEvent) =>
  !['getMore', 'killCursors', 'endSessions'].includes(commandName) && command[commandName] !== 'idempotency_keys';

beforeAll(() => {
  database.client.on('commandStarted', (event: CommandStartedEvent) => {
    if (isOfRequest(event)) asked.noteCommand();
  });
});

describe('every operation that is served', () => {
  let n = 0;
  let losses = 0;
  let server: TestServer;
  let all: readonly Sent[];

  beforeAll(async () => {
    for (const name of collections) await database.db.createCollection(name);
    const api: Api = serveEveryOperation(database.db, {
      asked: {
        async scope(path, ctx) {
          asked.note(path, ctx);
          return { group: String(n) };
        },
        guard(path, ctx) {
          asked.note(`?${path}`, ctx);
          return true;
        },
      },
      hook(phase) {
        if (phase === 'within' && losses-- > 0)
          throw Object.assign(new Error('lost'), { hasErrorLabel: (label: string) => label === 'TransientTransactionError' });
      },
    });
    server = await serve(api.routes());
    all = everyOperation(api);
  });

  async function send({ row, isRefused, hasKey, name }: Sent): Promise<string> {
    const { method, path, body } = row(String(n));
    asked.clear();
    const headers = hasKey ? { 'idempotency-key': `key${n}` } : {};
    const { status, text } = await server.request(method, path, { ...(body && { body }), headers });
    expect([name, status < 300 || (isRefused && status === 409), text]).toEqual([name, true, text]);
    return `${asked}`;
  }

  it(
    'asks scopes and guards of Get as often as is written down, and as early',
    async () => {
      const lines: string[] = [];
      for (const sent of all) {
        await seed(database.db, String(++n));
        const first = await send(sent);
        lines.push(`${sent.name}: ${first}`);
        if (sent.hasKey && !sent.isRefused) lines.push(`${sent.name}, again: ${await send(sent)}`);
        await seed(database.db, String(++n));
        losses = 1;
        const twice = await send(sent);
        if (losses < 1) lines.push(`${sent.name}, tried twice: ${twice}`);
        losses = 0;
      }
      await expectGolden('asked-scopes/operations.txt', lines.join('\n'));
    },
    limitMS,
  );
});

describe('every row, by every way', () => {
  const unconnected = new MongoClient('mongodb://127.0.0.1').db('none');
  const noted = (path: string, ctx: object) => {
    asked.note(path, ctx);
    return { text: { ne: 'none' } };
  };
  let matrix: Matrix;
  let opened: Opened;
  let restore: () => Promise<void>;

  beforeAll(async () => {
    await database.db.dropDatabase();
    restore = await store(database.db);
    matrix = serveMatrix(database.db, { scopeOf: noted });
    const { port } = await serve(matrix.api.routes());
    opened = await openWays(matrix.api, port);
  });
  afterAll(() => opened.close());

  it(
    'asks scopes as often as is written down, and as early',
    async () => {
      const lines: string[] = [];
      for (const one of allCases(serveMatrix(unconnected, { scopeOf: noted }))) {
        const byAsked = new Map<string, string[]>();
        for (const way of wayNames.filter((name) => ways[name].has(one))) {
          await restore();
          asked.clear();
          const { isDone, text } = await opened[way](one);
          expect([one.name, way, isDone, text]).toEqual([one.name, way, true, text]);
          byAsked.set(`${asked}`, [...(byAsked.get(`${asked}`) ?? []), way]);
        }
        for (const [events, names] of byAsked) lines.push(`${one.name}, by ${names.join(', ')}: ${events}`);
      }
      await expectGolden('asked-scopes/rows.txt', lines.join('\n'));
    },
    limitMS,
  );
});
