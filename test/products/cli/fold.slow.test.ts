import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { useDatabase } from '../../support/database/database.ts';
import { useTemporaryFolder } from '../../support/temporary-folder.ts';
import { useCli } from './run-cli.ts';

const { library, runCli } = useCli();

const database = useDatabase();
const folder = useTemporaryFolder();

const text = `import { defineModel, service, t } from '${library}';
const City = defineModel('City', { collection: 'cities', fields: { id: t.int(), name: t.string({ caseless: true, policy: { filter: true } }) } });
const atlas = service();
export default (db) => atlas.api({ db, resources: [atlas.resource({ model: City, ops: ['list'] })] });
`;

describe('audit --fold', () => {
  it('stores the folded texts that records lack, and then finds that they fit', async () => {
    const path = join(folder.path, 'api.mjs');
    await writeFile(path, text);
    const args = ['audit', path, '--uri', process.env.MONGODB_URI ?? '', '--db', database.db.databaseName];
    const cities = database.db.collection<{ _id: number; name: string }>('cities');
    await cities.insertMany(Array.from({ length: 700 }, (_, index) => ({ _id: index, name: `Zürich ${index}` })));

    const before = await runCli(args);
    expect([before.code, before.stdout]).toEqual([
      1,
      `City (cities): 700 records, 700 do not fit
  records  path  rule  message                                                    ids
  700      name  fold  is not stored with its folded value: lists do not find it  0, 1, 2, 3, 4
`,
    ]);
    const after = await runCli([...args, '--fold']);
    expect([after.code, after.stdout]).toEqual([0, 'City (cities): 700 records, all fit\n']);
    expect(await cities.countDocuments({ 'name[fold2]': 'zurich 7' })).toBe(1);
  });
});
