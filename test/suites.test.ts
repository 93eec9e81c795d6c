import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

it('only files called `.clock.test.ts`, which have a process of their own, replace timers', () => {
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const replacing = files.filter((file) => readFileSync(join(import.meta.dirname, file), 'utf8').includes('jest.useFake'.concat('Timers')));
  expect(replacing.length).toBeGreaterThan(0);
  expect(replacing.filter((file) => !file.endsWith('.clock.test.ts'))).toEqual([]);
});
