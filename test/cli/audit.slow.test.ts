import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Audit } from '../../src/audit/audit-collection.ts';
import { useDatabase } from '../support/database/database.ts';
import { useTemporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { library, runCli, startCli } from './run-cli.ts';

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

const count = 100_000;
/** One record in a hundred is too large, one in a thousand has no text, one in ten has a further key. */
const found = [
  { path: 'size', rule: 'maximum', message: 'must be at most 9', records: count / 100, ids: ['7', '107', '207', '307', '407'] },
  { path: 'text', rule: 'required', message: 'is required', records: count / 1_000, ids: ['3', '1003', '2003', '3003', '4003'] },
];
const complete = { model: 'Note', collection: 'notes', isComplete: true, records: count, misfitting: (count * 11) / 1_000, misfits: found };

beforeAll(async () => {
  const notes = database.db.collection<{ _id: number }>('notes');
  const long = 'x'.repeat(2_500);
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
  it('reads a hundred thousand records in the memory that it needs for a thousand', async () => {
    const printMemory = "data:text/javascript,process.on('exit',()=>process.stderr.write(String(process.resourceUsage().maxRSS)))";
    const env = { NODE_OPTIONS: `--max-old-space-size=128 --import "${printMemory}"` };
    const few = await runCli(await args('--model', 'Note', '--limit', '1000'), env);
    const all = await runCli(await args('--model', 'Note'), env);
    expect(all.stdout).toBe(`Note (notes): 100000 records, 1100 do not fit
  records  path  rule      message            ids
  1000     size  maximum   must be at most 9  7, 107, 207, 307, 407
  100      text  required  is required        3, 1003, 2003, 3003, 4003
  Keys that are not fields, which the model ignores:
  records  path  ids
  10000    __v   0, 10, 20, 30, 40
`);
    expect([few.code, all.code]).toEqual([1, 1]);
    expect(few.stdout).toContain('Note (notes): 1000 of about 100000 records, 11 do not fit\n');
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

  it.each(['SIGINT', 'SIGTERM'] as const)('ends on %s with what it has found, and goes on from there', async (signal) => {
    const state = join(folder.path, 'state.json');
    const child = startCli(await args('--resume', state));
    await until(() => existsSync(state));
    child.kill(signal);
    const { code, stdout, stderr } = await child.ended;
    expect([code, stderr]).toEqual([signal === 'SIGINT' ? 130 : 143, `Interrupted. The same command goes on from ${state}.\n`]);
    expect(stdout).toMatch(/^Note \(notes\): \d+ of about 100000 records, \d+ do not fit\n/);
    const { audits } = JSON.parse(await readFile(state, 'utf8')) as { audits: Audit[] };
    expect(audits).toMatchObject([{ model: 'Note', isComplete: false }]);
    const rest = await runCli(await args('--resume', state, '--json'));
    expect(rest.code).toBe(1);
    expect(JSON.parse(rest.stdout).audits).toMatchObject([complete, { model: 'Tag', isComplete: true }]);
    expect(existsSync(state)).toBe(false); // there is nothing to go on from
  });

  it('goes on after it was killed, from what it had written last', async () => {
    const state = join(folder.path, 'state.json');
    const child = startCli(await args('--resume', state));
    await until(() => existsSync(state));
    child.kill('SIGKILL');
    await child.ended;
    const { audits } = JSON.parse(await readFile(state, 'utf8')) as { audits: Audit[] };
    expect(audits[0]?.records).toBeGreaterThan(0);
    expect(audits[0]?.records).toBeLessThan(count);
    const { code, stdout } = await runCli(await args('--resume', state, '--json'));
    expect([code, JSON.parse(stdout).audits[0]]).toMatchObject([1, complete]);
  });

  it('reads a part in each run, if there are a limit and a state', async () => {
    const state = join(folder.path, 'state.json');
    const seen: number[] = [];
    for (let run = 0; run < 3; run++) {
      const { stdout } = await runCli(await args('--model', 'Note', '--resume', state, '--limit', '700', '--json'));
      seen.push(JSON.parse(stdout).audits[0].records);
    }
    expect(seen).toEqual([700, 1_400, 2_100]);
  });

  it('refuses the state of another collection, without what its names would do to a terminal', async () => {
    const state = join(folder.path, 'state.json');
    const other = { ...complete, collection: '\u001b[2J', estimate: count, unknownKeys: [], omitted: 0 };
    await writeFile(state, JSON.stringify({ audits: [other] }));
    const { code, stdout, stderr } = await runCli(await args('--resume', state));
    const message = '`from` of `auditCollection` is an audit of Note (\\u{1b}[2J), and not of Note (notes).\n';
    expect([code, stdout, stderr]).toEqual([2, '', message]);
  });

  it('ends with 2 if the state cannot be written', async () => {
    const state = join(folder.path, 'no/such/state.json');
    const { code, stdout, stderr } = await runCli(await args('--resume', state));
    expect([code, stdout, stderr]).toEqual([2, '', expect.stringContaining('The state cannot be written: ENOENT')]);
  });

  it.each([
    ['no JSON', 'x'],
    ['other JSON', '[]'],
    ['the state of something else', '{"audits":[{}]}'],
  ])('refuses a file with %s, and leaves it alone', async (_what, content) => {
    const state = join(folder.path, 'state.json');
    await writeFile(state, content);
    const { code, stderr } = await runCli(await args('--resume', state));
    expect([code, stderr]).toEqual([2, `${state} is not the state of an audit. Name another file, or remove it.\n`]);
    expect(await readFile(state, 'utf8')).toBe(content);
  });
});
