import { readFileSync } from 'node:fs';
import { utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../dev/free-port.ts';
import { useExamples } from './start-example.ts';

const root = join(import.meta.dirname, '../..');
const start = useExamples();

it('npm run dev is npm start under the watch of tsx', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(scripts.dev).toBe(scripts.start.replace('node --import tsx', 'tsx watch'));
});

it('tsx watch starts an example again when a file of src/ or of the example changes', async () => {
  const port = await freePort();
  const watched = start('minimal.ts', { PORT: String(port) }, ['watch']);
  await watched.says(/http\S+/);
  for (const [index, file] of ['src/http/json.ts', 'examples/minimal.ts'].entries()) {
    const now = new Date();
    await utimes(join(root, file), now, now);
    const again = new RegExp(`(?:http://127.0.0.1:${port}/notes[^]*){${index + 2}}`);
    expect(await watched.says(again)).toMatch(again);
  }
  watched.interrupt();
  await watched.ended;
});
