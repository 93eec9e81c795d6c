import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the pages. */
export const docs = join(import.meta.dirname, '../docs');

/**
 * Every page but the home page, in the order in which they are read. A page stands here before it exists, and is shown
 * when it does.
 */
export const order = {
  Start: [
    'start/why.md',
    'start/quick-start.md',
    'start/create.md',
    'start/tutorial/index.md',
    'start/tutorial/1-a-model.md',
    'start/tutorial/2-changes.md',
    'start/tutorial/3-lists.md',
    'start/tutorial/4-orders.md',
    'start/tutorial/5-who-may-do-what.md',
    'start/tutorial/6-an-operation.md',
    'start/tutorial/7-tests.md',
    'start/examples.md',
  ],
  Guides: [
    'guides/authentication.md',
    'guides/tenants.md',
    'guides/fields-by-role.md',
    'guides/feature-flags.md',
    'guides/encrypted-fields.md',
    'guides/two-resources.md',
    'guides/own-operations-and-hooks.md',
    'guides/steps-and-numbers.md',
    'guides/money.md',
    'guides/uploads.md',
    'guides/object-store.md',
    'guides/soft-delete.md',
    'guides/audit-trail.md',
    'guides/webhooks.md',
    'guides/forgetting-people.md',
    'guides/transactions.md',
    'guides/caching.md',
    'guides/testing.md',
    'guides/deployment.md',
    'guides/rate-limits.md',
    'guides/index-changes.md',
    'guides/scaling.md',
    'guides/read-replicas.md',
    'guides/openapi-proxy.md',
    'guides/existing-collections.md',
    'guides/beside-mongoose.md',
    'guides/from-hand-written-koa.md',
    'guides/from-feathers.md',
    'guides/api-versions.md',
  ],
  Clients: [
    'clients/typed-client.md',
    'clients/generated.md',
    'clients/tanstack-query.md',
    'clients/live-lists.md',
    'clients/admin.md',
    'clients/agents.md',
  ],
  Reference: [
    'reference/options.md',
    'reference/models.md',
    'reference/computed.md',
    'reference/policy.md',
    'reference/schemas.md',
    'reference/writes.md',
    'reference/lists.md',
    'reference/filter.md',
    'reference/search.md',
    'reference/export.md',
    'reference/aggregate.md',
    'reference/near.md',
    'reference/live.md',
    'reference/webhooks.md',
    'reference/relations.md',
    'reference/many.md',
    'reference/soft-delete.md',
    'reference/removals.md',
    'reference/history.md',
    'reference/custom-operations.md',
    'reference/middleware.md',
    'reference/errors.md',
    'reference/answering-with-errors.md',
    'reference/store.md',
    'reference/transactions.md',
    'reference/within.md',
    'reference/batch.md',
    'reference/idempotency.md',
    'reference/events.md',
    'reference/indexes.md',
    'reference/audit.md',
    'reference/command-line.md',
    'reference/openapi.md',
    'reference/observing.md',
    'reference/debugging.md',
    'reference/serving.md',
  ],
  About: [
    'about/performance.md',
    'about/reliability.md',
    'about/security.md',
    'about/compatibility.md',
    'about/upgrade-policy.md',
    'about/package.md',
    'about/faq.md',
    'about/architecture.md',
    'about/what-a-request-runs.md',
    'about/testing.md',
    'about/changelog.md',
  ],
} as const;

export interface Section {
  readonly text: string;
  readonly pages: readonly { readonly path: string; readonly title: string }[];
}

/** The sections that have pages, with those that exist, by the titles of the pages. */
export function sections(): Section[] {
  const all = Object.entries(order).map(([text, paths]) => ({
    text,
    pages: paths
      .filter((path) => existsSync(join(docs, path)))
      .map((path) => ({ path, title: titleOf(readFileSync(join(docs, path), 'utf8')) })),
  }));
  return all.filter(({ pages }) => pages.length > 0);
}

/** The text of the first heading, without Markdown. */
export function titleOf(page: string): string {
  const [, title = ''] = /^# (.+)$/m.exec(page) ?? [];
  return title.replaceAll('`', '');
}
