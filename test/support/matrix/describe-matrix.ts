import { type CommandStartedEvent, MongoClient } from 'mongodb';
import { useDatabase } from '../database/database.ts';
import { useServer } from '../http/serve.ts';
import { expectedOf, faultsOfRefusal, faultsOfReplay, faultsOfRun } from './expected.ts';
import { type Case, casesOf } from './requests.ts';
import { type Matrix, type MatrixOptions, serveMatrix } from './serve-matrix.ts';
import { store } from './stored.ts';
import { type Opened, openWays, type WayName, ways } from './ways.ts';

/** What a change stream, and the end of a session, send at their own time. */
const unasked: ReadonlySet<string> = new Set(['getMore', 'killCursors', 'endSessions']);

/** The rows alone say which cases there are: this api needs no connection. */
export const unconnected = (options?: MatrixOptions) => serveMatrix(new MongoClient('mongodb://127.0.0.1').db('none'), options);

export function allCases({ api }: Matrix): Case[] {
  return api.description.resources.flatMap((resource) => resource.rows.flatMap((row) => casesOf(resource, row)));
}

/** Holds each row to its guards and hooks, by each of these ways that it has. */
export function describeMatrix(wayNames: readonly WayName[], options: MatrixOptions = {}): void {
  const database = useDatabase({ monitorCommands: true });
  const serve = useServer();
  const cases = allCases(unconnected(options));
  let matrix: Matrix;
  let opened: Opened;
  let restore: () => Promise<void>;
  let keys = 0;

  beforeAll(async () => {
    restore = await store(database.db);
    matrix = serveMatrix(database.db, options);
    const server = await serve(matrix.api.routes());
    opened = await openWays(matrix.api, server.port);
    database.client.on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
      if (!unasked.has(commandName)) matrix.line.events.push(`command ${commandName} ${command[commandName]}`);
    });
  });
  afterAll(() => opened.close());
  beforeEach(async () => {
    matrix.line.refusing = undefined;
    await restore();
  });

  /** Sends a request, and returns what came of it: the answer, and the line. */
  async function send(wayName: WayName, name: string, key?: string) {
    const one = cases.find((other) => other.name === name) as Case;
    matrix.line.events = [];
    const outcome = await opened[wayName](one, key);
    return { ...outcome, events: matrix.line.events, expected: expectedOf(one, matrix) };
  }

  /** What is wrong where a guard refuses, one after the other. */
  async function faultsOfRefusals(wayName: WayName, name: string, key?: string): Promise<string[]> {
    const { guards } = expectedOf(cases.find((one) => one.name === name) as Case, matrix);
    const faults: string[] = [];
    for (const guard of guards) {
      matrix.line.refusing = guard;
      const { isForbidden, text, events } = await send(wayName, name, key);
      if (!isForbidden) faults.push(`${guard} refuses, but the answer is ${text}`);
      faults.push(...faultsOfRefusal(events, guards, guard));
    }
    return faults;
  }

  for (const wayName of wayNames) {
    const { has, keeps } = ways[wayName];
    const served = cases.filter(has).map(({ name }) => name);
    const kept = cases.filter(keeps).map(({ name }) => name);

    describe(`a row by ${wayName}`, () => {
      it.each(served)('asks its guards once, in order and before it reads, and runs its hooks once, at their place: %s', async (name) => {
        const { isDone, text, events, expected } = await send(wayName, name);
        expect([isDone, text]).toEqual([true, text]);
        expect(faultsOfRun(events, expected)).toEqual([]);
      });

      it.each(served)('sends no command and runs no hook if a guard refuses: %s', async (name) => {
        expect(await faultsOfRefusals(wayName, name)).toEqual([]);
      });
    });

    if (kept.length === 0) continue;
    describe(`a row by ${wayName} with a key`, () => {
      it.each(kept)('asks its guards again on a replay, and runs no hook: %s', async (name) => {
        const key = `key${++keys}`;
        const first = await send(wayName, name, key);
        expect([first.isDone, first.text]).toEqual([true, first.text]);
        expect(faultsOfRun(first.events, first.expected)).toEqual([]);
        const again = await send(wayName, name, key);
        expect([again.isDone, again.text]).toEqual([true, again.text]);
        expect(faultsOfReplay(again.events, again.expected)).toEqual([]);
        expect(await faultsOfRefusals(wayName, name, key)).toEqual([]);
      });
    });
  }
}
