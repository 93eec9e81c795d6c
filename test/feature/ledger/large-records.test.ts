import { clearImmediate, setImmediate } from 'node:timers';
import { BSON, ObjectId } from 'mongodb';
import { defineModel, t } from '../../../src/index.ts';
import { asCompiled } from '../../../src/model/compile/compile-model.ts';
import { Work } from '../../../src/mongo/driver/work.ts';
import { stateAt } from '../../../src/mongo/history/history.ts';
import { StoredRecord } from '../../../src/mongo/stored-record.ts';
import { useCommands } from '../../support/database/commands.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useApi } from '../../support/http/api.ts';

const Note = defineModel('Note', {
  collection: 'notes',
  fields: { kind: t.string({ policy: { filter: true } }), ints: t.array(t.int(), { default: [] }), revision: t.revision() },
  history: true,
});

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const api = useApi(database, (shop) => [shop.resource({ model: Note, history: true, ops: ['get', 'patch', 'patchMany', 'deleteMany'] })]);
const stored = (n: number) => ({ kind: 'large', ints: Array.from({ length: 2_700 }, (_, index) => index + n), revision: 0 });
const count = 100;
const most = 524_288;

/** How often other work could run while something ran. */
async function turnsDuring(run: () => Promise<unknown>): Promise<number> {
  let turns = 0;
  let counting = setImmediate(function count() {
    turns++;
    counting = setImmediate(count);
  });
  await run();
  clearImmediate(counting);
  return turns;
}

describe.each([
  ['patchMany', () => api.request('PATCH', '/api/notes?kind=large', { body: { ints: [] } })],
  ['deleteMany', () => api.request('DELETE', '/api/notes?kind=large')],
] as const)('%s of large records with a history', (name, send) => {
  it('decodes, writes and records some of them at a time, and each once', async () => {
    for (const name of ['notes', 'notes_history']) await database.db.collection(name).deleteMany({});
    await database.db.collection('notes').insertMany(Array.from({ length: count }, (_, n) => stored(n)));
    commands.clear();
    const { status } = await send();
    expect(status).toBe(200);
    const sent = commands.events.map(({ commandName, command }) => ({ commandName, command: command as Record<string, unknown> }));
    const inserts = sent.filter(({ commandName }) => commandName === 'insert').map(({ command }) => command.documents as object[]);
    const writes = sent.filter(({ commandName }) => commandName === (name === 'patchMany' ? 'update' : 'delete'));
    expect(inserts.flat()).toHaveLength(count);
    expect(writes.length).toBeGreaterThan((count * BSON.calculateObjectSize(stored(0))) / most / 2);
    for (const rows of inserts) expect(rows.reduce<number>((sum, row) => sum + BSON.calculateObjectSize(row), 0)).toBeLessThan(most);
    const entries = await database.db
      .collection('notes_history')
      .find({}, { sort: { 'changes.before': 1 } })
      .toArray();
    const kept = entries.map(({ changes }) => changes.find(({ path }: { path: string }) => path === 'ints').before[0]);
    expect(kept.toSorted((a: number, b: number) => a - b)).toEqual(Array.from({ length: count }, (_, n) => n));
  });
});

describe('GET /<resource>/{id}?at=<revision>, behind many large changes', () => {
  it('lets other requests run between the changes that it undoes', async () => {
    const model = asCompiled(Note);
    const { _id, ...present } = { ...stored(300), _id: new ObjectId(), revision: 300 };
    const entries = Array.from({ length: 300 }, (_, n) => ({
      record: _id,
      life: null,
      revision: n + 1,
      previous: n,
      change: 'patched',
      private: [],
      changes: [{ path: 'ints', before: n === 0 ? [] : stored(n).ints, after: stored(n + 1).ints }],
    }));
    const found = entries.map((entry) => BSON.serialize(entry)).reverse();
    const read = async (_filter: object, _direction: 1 | -1, limit: number) => ({ found: limit === 1 ? [] : found, isCut: false });
    let state: unknown;
    const turns = await turnsDuring(async () => {
      const seen = { scope: undefined, visible: 'live' } as const;
      state = await stateAt(model, new StoredRecord(model, { _id, ...present }), 0, seen, { read }, new Work());
    });
    expect(turns).toBeGreaterThan(1);
    expect(state).toEqual({ stored: { _id, kind: 'large', ints: [], revision: 0 }, erased: [] });
  });
});
