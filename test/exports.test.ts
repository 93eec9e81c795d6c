import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

it('the package exports each public middleware by its name, and nothing of what they share', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const middlewares = readdirSync(join(root, 'src/middleware')).filter((name) => name.endsWith('.ts'));
  const names = middlewares.map((name) => `./middleware/${name.replace(/\.ts$/, '')}`);
  expect(Object.keys(exports).sort()).toEqual(
    [
      '.',
      './audit',
      './client',
      './mcp',
      ...names,
      './mongoose',
      './package.json',
      './react-admin',
      './refine',
      './removals',
      './webhooks',
    ].sort(),
  );
  expect(exports['./middleware/guards']).toEqual({ types: './dist/middleware/guards.d.ts', default: './dist/middleware/guards.js' });
});
