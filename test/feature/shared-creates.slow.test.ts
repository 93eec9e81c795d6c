import type { Document, Timestamp } from 'mongodb';
import { type Api, defineModel, service, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { cases, seed } from '../support/fuzzing/fuzz.ts';
import { randomFrom } from '../support/fuzzing/random-from.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);

const insert = { insert: true } as const;
const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    id: t.string({ policy: insert }),
    code: t.string({ policy: insert }),
    token: t.string({ policy: insert }),
    owner: t.string({ policy: { insert: false, update: false } }),
    revision: t.revision(),
  },
});

function build(): Api {
  const notebook = service<string>({ authenticate: (ctx) => ctx.get('X-User') });
  const notes = notebook.resource({
    model: Note,
    ops: ['create', 'delete'],
    scope: (ctx) => ({ owner: ctx.requirePrincipal() }),
    serverFields: (ctx) => ({ owner: ctx.requirePrincipal() }),
  });
  return notebook.api({ db: database.db, resources: [notes] });
}

interface Told {
  readonly id: string;
  readonly code: string;
  readonly token: string;
  readonly user: string;
  readonly status: number | undefined;
  readonly body: Document | undefined;
}

/** Records with these ids are deleted again and again. */
const passing = Array.from({ length: 6 }, (_, n) => `passing-${n}`);

describe('creates that share round trips', () => {
  it('are each carried out once if acknowledged, and never if refused, by a record that has what was taken', async () => {
    const api = build();
    const notes = database.db.collection<Document & { _id: string }>('notes');
    await notes.createIndex({ code: 1 }, { unique: true });
    const oplog = database.client.db('local').collection<{ ts: Timestamp }>('oplog.rs');
    const [last] = await oplog.find().sort({ $natural: -1 }).limit(1).toArray();
    const random = randomFrom(seed);
    const told: Told[] = [];
    const count = cases(4_000).numRuns;
    let begun = 0;

    const send = (user: string, method: string, path: string, body?: object, signal?: AbortSignal) =>
      api.fetch(
        new Request(`http://here/notes${path}`, {
          method,
          headers: { 'X-User': user, ...(body && { 'Content-Type': 'application/json' }) },
          ...(body && { body: JSON.stringify(body) }),
          ...(signal && { signal }),
        }),
      );

    async function create(): Promise<void> {
      while (begun < count) {
        const token = `token-${begun++}`;
        const user = random() < 0.5 ? 'ann' : 'bob';
        const isPassing = random() < 0.3;
        const id = isPassing ? (passing[Math.floor(random() * passing.length)] as string) : `id-${Math.floor(random() * count)}`;
        const code = isPassing ? token : `code-${Math.floor(random() * count)}`;
        const controller = new AbortController();
        const answer = send(user, 'POST', '', { id, code, token }, controller.signal);
        if (random() < 0.05) setImmediate(() => controller.abort());
        try {
          const { status, body } = await answer.then(async (one) => ({ status: one.status, body: (await one.json()) as Document }));
          told.push({ id, code, token, user, status, body });
        } catch {
          told.push({ id, code, token, user, status: undefined, body: undefined });
        }
        if (random() < 0.2) await new Promise(setImmediate);
      }
    }

    async function remove(id: string): Promise<void> {
      while (begun < count) {
        for (const user of ['ann', 'bob']) await send(user, 'DELETE', `/${id}`);
      }
    }

    await Promise.all([...Array.from({ length: 40 }, create), ...passing.map(remove)]);
    await notes.insertOne({ _id: 'end', code: 'end' }); // behind those whose clients have gone

    const ns = `${database.db.databaseName}.notes`;
    const entries = await oplog.find({ ts: { $gt: last?.ts as Timestamp }, ns, op: 'i' }).toArray();
    const times = new Map<string, number>();
    for (const { o } of entries as Document[]) times.set(o.token, (times.get(o.token) ?? 0) + 1);
    const stored = await notes.find().toArray();
    const byId = new Map(stored.map((one) => [one._id, one]));
    const byCode = new Map(stored.map((one) => [one.code, one]));
    for (const { id, code, token, user, status, body } of told) {
      const carriedOut = times.get(token) ?? 0;
      if (status === undefined) expect(carriedOut).toBeLessThanOrEqual(1);
      else if (status === 201) {
        expect([carriedOut, body?.data]).toEqual([1, { id, code, token, owner: user, revision: 0 }]);
      } else {
        expect([status, carriedOut]).toEqual([409, 0]);
        const fields = body?.errors.map(({ field }: Document) => field).join();
        if (id.startsWith('passing')) expect(fields).toBe('id');
        else expect((fields === 'id' ? byId.get(id) : byCode.get(code))?.token).not.toBe(token);
        if (!id.startsWith('passing')) expect(fields === 'id' ? byId.has(id) : byCode.has(code)).toBe(true);
      }
    }
    const statuses = new Set(told.map(({ status }) => status));
    expect([201, 409, undefined].every((one) => statuses.has(one))).toBe(true);
    const shared = commands.events.filter(({ commandName, command }) => commandName === 'insert' && command.documents.length > 1);
    expect(shared.length).toBeGreaterThan(50);
  });
});
