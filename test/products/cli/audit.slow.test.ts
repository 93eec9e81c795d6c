import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Audit } from '../../../src/products/audit/audit-collection.ts';
import { useDatabase } from '../../support/database/database.ts';
import { useTemporaryFolder } from '../../support/temporary-folder.ts';
import { until } from '../../support/until.ts';
import { useCli } from './run-cli.ts';

const { library, runCli, startCli } = useCli();

const database = useDatabase();
const folder = useTemporaryFolder();

const text = `import { defineModel, service, t } from '${library}';
const Note = defineModel('Note', { collection: 'notes', fields: { id: t.int(), size: t.int({ maximum: 9 }), text: t.string() } });
const Tag = defineModel('Tag', { collection: 'tags', fields: { id: t.string(), name: t.string({ minLength: 2 }) } });
const notebook = service();
const resources = [notebook.resource({ model: Note, ops: ['list', 'get'] }), notebook.resource({ model: Tag, ops: ['list', 'get'], path: 'labels' })];
export default (db) => notebook.api({ db, resources, idempotency: { principal: () => 'ann', collection: 'keys' } });
`;

async function args(...more: string[]): Promise<string[]> {
  const path = join(folder.path, 'api.mjs');
  await writeFile(path, text);
  return ['audit', path, '--uri', process.env.MONGODB_URI ?? '', '--db', database.db.databaseName, ...more];
}

const count = 40_000;
/** How many finds the database has run on the notes. */
async function countReads(): Promise<number> {
  const { totals } = await database.client.db('admin').command({ top: 1 });
  return totals[`${database.db.databaseName}.notes`].queries.count;
}

beforeAll(async () => {
  const notes = database.db.collection<{ _id: number }>('notes');
  const long = 'x'.repeat(6_250);
  for (let from = 0; from < count; from += 10_000) {
    const make = (_: unknown, index: number) => {
      const id = from + index;
      return { _id: id, size: id % 100 === 7 ? 10 : 5, ...(id % 1_000 === 3 ? {} : { text: long }), ...(id % 10 === 0 && { __v: 0 }) };
    };
    await notes.insertMany(Array.from({ length: 10_000 }, make));
  }
  await database.db.collection<{ _id: string }>('tags').insertMany([{ _id: 'a', name: 'ab' }] as never[]);
});

describe('audit', () => {
  it('reads forty thousand records in the memory that it needs for a thousand', async () => {
    const printMemory = "data:text/javascript,process.on('exit',()=>process.stderr.write(String(process.resourceUsage().maxRSS)))";
    const env = { NODE_OPTIONS: `--max-old-space-size=128 --import "${printMemory}"` };
    const few = await runCli(await args('--model', 'Note', '--limit', '1000'), env);
    const all = await runCli(await args('--model', 'Note'), env);
    expect(all.stdout).toBe(`Note (notes): 40000 records, 440 do not fit
  records  path  rule      message            ids
  400      size  maximum   must be at most 9  7, 107, 207, 307, 407
  40       text  required  is required        3, 1003, 2003, 3003, 4003
  Keys that are not fields, which the model ignores:
  records  path  ids
  4000     __v   0, 10, 20, 30, 40
`);
    expect([few.code, all.code]).toEqual([1, 1]);
    expect(few.stdout).toContain('Note (notes): 1000 of about 40000 records, 11 do not fit\n');
    const [least, most] = [few, all].map(({ stderr }) => Number(stderr) / 1024) as [number, number];
    expect(most - least).toBeLessThan(100); // MiB; the records have 250
  });

  it('prints JSON, of all models, each once, and none of the library itself', async () => {
    const { code, stdout, stderr } = await runCli(await args('--json', '--limit', '3', '--sample', '0'));
    const { audits } = JSON.parse(stdout) as { audits: Audit[] };
    expect([code, stderr]).toEqual([0, '']);
    expect(audits).toMatchObject([
      {
        model: 'Note',
        collection: 'notes',
        isComplete: false,
        records: 3,
        estimate: count,
        misfits: [],
        unknownKeys: [{ path: '__v', records: 1, ids: [] }],
      },
      { model: 'Tag', collection: 'tags', isComplete: true, records: 1, misfits: [] },
    ]);
  });

  it('compares the models that are asked for', async () => {
    expect(await runCli(await args('--resource', 'labels'))).toEqual({ code: 0, stdout: 'Tag (tags): 1 records, all fit\n', stderr: '' });
    const { code, stderr } = await runCli(await args('--resource', 'label'));
    expect([code, stderr]).toEqual([2, 'The api has no resource `label`; did you mean `labels`? It has notes, labels.\n']);
    expect(await runCli(await args('--model', 'Nota'))).toMatchObject({ code: 2, stdout: '' });
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends on %s with what it has found', async (signal) => {
    const before = await countReads();
    const child = startCli(await args());
    await until(async () => (await countReads()) > before);
    child.kill(signal);
    const { code, stdout, stderr } = await child.ended;
    expect([code, stderr]).toEqual([signal === 'SIGINT' ? 130 : 143, 'Interrupted.\n']);
    expect(stdout).toMatch(/^Note \(notes\): \d+ of about 40000 records, \d+ do not fit\n/);
  });
});
