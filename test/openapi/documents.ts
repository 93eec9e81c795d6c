import { createAtlas } from '../../examples/atlas/api.ts';
import { createBilling } from '../../examples/billing/api.ts';
import { createHelpdesk } from '../../examples/custom-operations/api.ts';
import { createNotebook } from '../../examples/minimal.ts';
import { createShop } from '../../examples/orders/api.ts';
import { createProjects } from '../../examples/projects/api.ts';
import { type Api, type OpenapiDocument, openapiDocument } from '../../src/index.ts';
import { everyApi } from './every-api.ts';
import { db } from './fixtures.ts';

/** The apis of all examples, and the one with every builder and every policy. */
export const apis: readonly (readonly [string, Api<never>])[] = [
  ['everything at once', everyApi()],
  ['atlas', createAtlas(db)],
  ['billing', createBilling(db)],
  ['custom operations', createHelpdesk(db, () => {})],
  ['minimal', createNotebook(db)],
  ['orders', createShop(db)],
  ['projects', createProjects(db)],
];

/** Their documents. */
export const documents: readonly (readonly [string, OpenapiDocument])[] = apis.map(([name, api]) => [name, openapiDocument(api)]);

/** Every part of a document with its place, as a reference names it. */
export function* walk(part: unknown, path = '#'): Generator<{ path: string; part: Record<string, unknown> }> {
  if (typeof part !== 'object' || part === null) return;
  yield { path, part: part as Record<string, unknown> };
  for (const [key, value] of Object.entries(part)) yield* walk(value, `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`);
}

/** What a document refers to. */
export function referencesOf(document: OpenapiDocument): string[] {
  return [...walk(document)].flatMap(({ part }) => (typeof part.$ref === 'string' ? [part.$ref] : []));
}
