import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const src = join(import.meta.dirname, '../../src');
const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !path.startsWith('products/'),
);

/** The files that export a type or class of each name. */
function exportedTypes(): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const file of files)
    for (const [, name = ''] of readFileSync(join(src, file), 'utf8').matchAll(
      /^export (?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm,
    ))
      found.set(name, [...(found.get(name) ?? []), file]);
  return found;
}

it('no two files of the library export a type of the same name: one word is one thing', () => {
  const types = exportedTypes();
  expect(types.size).toBeGreaterThan(700);
  expect([...types].filter(([, exporting]) => exporting.length > 1)).toEqual([]);
});
