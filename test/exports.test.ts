import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

it('the package exports each public middleware by its name, and nothing of what they share', () => {
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const middlewares = readdirSync(join(root, 'src/middleware')).filter((name) => name.endsWith('.ts'));
  const own = middlewares.map((name) => `./middleware/${name.replace(/\.ts$/, '')}`);
  const ofPlugins = Object.keys(exports).filter((name) => exports[name].types?.startsWith('./dist/features/'));
  const names = [...own, ...ofPlugins];
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
  for (const name of ofPlugins) expect(exports[name].default).toBe(`./dist/${name.slice(2)}.js`);
  expect(exports['./middleware/guards']).toEqual({ types: './dist/middleware/guards.d.ts', default: './dist/middleware/guards.js' });
});
