import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runSilently } from '../../dev/run.ts';
import { useTemporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '../..');
const folder = useTemporaryFolder();

it('writes the documents of all examples, without a database', async () => {
  await runSilently(process.execPath, ['--import', 'tsx', join(root, 'dev/openapi/write-documents.ts'), folder.path]);
  const files = (await readdir(folder.path)).sort();
  expect(files).toEqual([
    'atlas.json',
    'billing.json',
    'custom-operations.json',
    'every-builder.json',
    'minimal.json',
    'orders.json',
    'projects.json',
  ]);
  const titles = await Promise.all(
    files.map(async (file) => {
      const { openapi, info, paths } = JSON.parse(await readFile(join(folder.path, file), 'utf8'));
      return [openapi, info.title, Object.keys(paths).length > 0];
    }),
  );
  expect(titles).toEqual(['Atlas', 'Billing', 'Helpdesk', 'Shop', 'Notebook', 'Shop', 'Projects'].map((title) => ['3.1.0', title, true]));
});
