import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as models from '../examples/orders/model.ts';
import { diagram } from '../src/index.ts';

/** Writes the picture of the example of the orders into `docs/reference/relations.md`: `npm run diagram`. */
const page = join(import.meta.dirname, '../docs/reference/relations.md');
const text = await readFile(page, 'utf8');
await writeFile(
  page,
  text.replace(/```mermaid\n.*?```/s, () => `\`\`\`mermaid\n${diagram(Object.values(models))}\`\`\``),
);
