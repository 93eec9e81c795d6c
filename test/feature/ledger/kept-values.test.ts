import { BSON } from 'mongodb';
import { defineModel, openStore, t } from '../../../src/index.ts';
import type { Any } from '../../support/any.ts';
import { useDatabase } from '../../support/database/database.ts';

const database = useDatabase();

describe('a value that is too large to be kept', () => {
  const digest = expect.stringMatching(/^sha-256:[0-9a-f]{64}$/);

  /** Writes the records of a model with so many texts one after the other, and returns the changes of its entries. */
  async function changesOf(texts: number, ...writes: readonly Record<string, unknown>[]): Promise<Any[][]> {
    const fields = Object.fromEntries(Array.from({ length: texts }, (_, index) => [`f${index}`, t.optional(t.string())]));
    const collection = `larges${texts}`;
    const Large = defineModel('Large', { collection, history: true, fields: { id: t.string(), ...fields, revision: t.revision() } });
    const larges: Any = openStore(Large, { db: database.db });
    const [first, ...others] = writes;
    await larges.create({ id: 'l', ...first });
    for (const one of others) await larges.update('l', one);
    const entries = await database.db
      .collection(`${collection}_history`)
      .find({}, { sort: { revision: 1 } })
      .toArray();
    for (const entry of entries) expect(BSON.calculateObjectSize(entry)).toBeLessThan(8 * 1024 * 1024);
    return entries.map(({ changes }: Any) => changes);
  }
  const all = (texts: number, length: number, letter: string) =>
    Object.fromEntries(Array.from({ length: texts }, (_, index) => [`f${index}`, letter.repeat(length)]));

  it('has a digest in its place if it has more than 64 KiB', async () => {
    const [created, updated] = await changesOf(2, { f0: 'x'.repeat(70_000), f1: 'small' }, { f0: 'y'.repeat(65_000) });
    expect(created).toEqual([
      { path: 'f0', afterDigest: digest },
      { path: 'f1', after: 'small' },
    ]);
    expect(updated).toEqual([{ path: 'f0', beforeDigest: created?.[0].afterDigest, after: 'y'.repeat(65_000) }]);
  });

  it('does not depend on how large the values of other fields are', async () => {
    const [, updated] = await changesOf(60, all(60, 65_000, 'a'), all(60, 65_000, 'b'));
    expect(updated?.map(({ before, after }) => before.length + after.length)).toEqual(new Array(60).fill(130_000));
  });

  it('has less than 64 KiB in a model of more than 64 fields: 8 MiB by the number of fields, and the value before a change comes first', async () => {
    const most = Math.floor((8 * 1024 * 1024) / 202); // the id and the revision are fields, too
    const [created, larger, same] = await changesOf(200, { f0: 'x'.repeat(most) }, all(200, 30_000, 'a'), all(200, 30_000, 'b'));
    expect(created).toEqual([{ path: 'f0', afterDigest: digest }]);
    expect(larger?.[1]).toEqual({ path: 'f1', after: 'a'.repeat(30_000) });
    expect(same?.[1]).toEqual({ path: 'f1', before: 'a'.repeat(30_000), afterDigest: digest });
    expect(same).toHaveLength(200);
  });

  it('is kept without the members that are too large, each of which counts for itself', async () => {
    const Part = t.object('Part', { name: t.string(), text: t.optional(t.string()), note: t.optional(t.string()) });
    const Whole = defineModel('Whole', {
      collection: 'wholes',
      history: true,
      fields: { id: t.string(), parts: t.array(Part, { default: [] }), byKey: t.map(Part, { default: {} }), revision: t.revision() },
    });
    const wholes: Any = openStore(Whole, { db: database.db });
    const part = { name: 'n', text: 'x'.repeat(40_000), note: 'y'.repeat(40_000) };
    await wholes.create({ id: 'w', parts: [part], byKey: { a: { ...part, note: 'short' }, b: part } });
    const [{ changes }] = (await database.db.collection('wholes_history').find().toArray()) as [Any];
    expect(changes).toEqual([
      { path: 'parts', after: [part] },
      {
        path: 'byKey',
        after: { a: { name: 'n', note: 'short' }, b: { name: 'n', note: part.note } },
        afterParts: ['name', 'note'],
        afterDigest: digest,
      },
    ]);
  });
});
