import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openapiText } from 'koa-mongo-resource';
import { createAtlas } from '../../examples/atlas/api.ts';
import { createBilling } from '../../examples/billing/api.ts';
import { createHelpdesk } from '../../examples/custom-operations/api.ts';
import { createNotebook } from '../../examples/minimal.ts';
import { createShop } from '../../examples/orders/api.ts';
import { createProjects } from '../../examples/projects/api.ts';
import { everyApi } from '../../test/openapi/every-api.ts';
import { db } from '../../test/openapi/fixtures.ts';

/**
 * `npm run openapi`: writes the OpenAPI documents of all examples into a folder, `openapi/` unless another is named,
 * and one of the tests' api with every builder and every policy, for the tools of CI. It needs no database: the one
 * that it gives the apis is never spoken to.
 */
const apis = {
  atlas: createAtlas(db),
  billing: createBilling(db),
  'custom-operations': createHelpdesk(db, async () => {}),
  'every-builder': everyApi(),
  minimal: createNotebook(db),
  orders: createShop(db),
  projects: createProjects(db),
};

const folder = resolve(process.argv[2] ?? 'openapi');
await mkdir(folder, { recursive: true });
for (const [name, api] of Object.entries(apis)) {
  const path = join(folder, `${name}.json`);
  await writeFile(path, openapiText(api));
  console.log(path);
}
