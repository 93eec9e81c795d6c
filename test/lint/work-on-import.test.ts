import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const src = join(import.meta.dirname, '../../src');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));

it('no file compiles anything when it is imported: an api that does not use it would pay for it', () => {
  expect(files.length).toBeGreaterThan(300);
  const compiling = files.filter((file) => /^(?:export )?const [^\n]*= compile\w*\(/m.test(readFileSync(join(src, file), 'utf8')));
  expect(compiling).toEqual([]);
});
