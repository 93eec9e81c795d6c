import { BSON, type CommandSucceededEvent } from 'mongodb';
import { defineModel, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
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
  it('reads one value of each field, however many changes there are', async () => {
    for (const name of ['notes', 'notes_history']) await database.db.collection(name).deleteMany({});
    const { insertedId: _id } = await database.db.collection('notes').insertOne({ ...stored(count), revision: count });
    await database.db.collection('notes_history').insertMany(
      Array.from({ length: count }, (_, n) => ({
        record: _id,
        life: null,
        revision: n + 1,
        previous: n,
        at: new Date(),
        change: 'patched',
        actor: null,
        paths: ['ints'],
        private: [],
        changes: [{ path: 'ints', before: stored(n).ints, after: stored(n + 1).ints }],
      })),
    );
    const replies: [string, number][] = [];
    const hear = ({ commandName, reply }: CommandSucceededEvent) => replies.push([commandName, (reply as Any).cursor.firstBatch.length]);
    database.client.on('commandSucceeded', hear);
    const { status, body } = await api.request('GET', `/api/notes/${_id}?at=3`);
    database.client.off('commandSucceeded', hear);
    expect([status, body.data]).toEqual([200, { id: String(_id), ...stored(3), revision: 3 }]);
    expect(replies).toEqual([
      ['find', 1],
      ['aggregate', 2], // the value, and how many changes there are
      ['find', 1],
    ]);
  });
});
