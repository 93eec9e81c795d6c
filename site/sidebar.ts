import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of the pages. */
export const docs = join(import.meta.dirname, '../docs');

/**
 * Every page but the home page, in the order in which they are read: by sections, and by groups within these. A page
 * stands here before it exists, and is shown when it does.
 */
export const order = {
  Start: {
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
  },
  Guides: {
    'What most apps need': [
      'guides/authentication.md',
      'guides/tenants.md',
      'guides/fields-by-role.md',
      'guides/own-operations-and-hooks.md',
      'guides/transactions.md',
      'guides/soft-delete.md',
      'guides/uploads.md',
      'guides/caching.md',
      'guides/rate-limits.md',
      'guides/testing.md',
      'guides/index-changes.md',
      'guides/deployment.md',
    ],
    'What some apps need': [
      'guides/steps-and-numbers.md',
      'guides/money.md',
      'guides/webhooks.md',
      'guides/audit-trail.md',
      'guides/forgetting-people.md',
      'guides/encrypted-fields.md',
      'guides/feature-flags.md',
      'guides/api-versions.md',
    ],
    'Many users, many services': ['guides/scaling.md', 'guides/openapi-proxy.md'],
    'Coming from something else': [
      'guides/existing-collections.md',
      'guides/beside-mongoose.md',
      'guides/from-hand-written-koa.md',
      'guides/from-feathers.md',
    ],
  },
  Clients: {
    Clients: [
      'clients/typed-client.md',
      'clients/generated.md',
      'clients/tanstack-query.md',
      'clients/live-lists.md',
      'clients/admin.md',
      'clients/agents.md',
    ],
  },
  Reference: {
    Definitions: [
      'reference/options.md',
      'reference/models.md',
      'reference/policy.md',
      'reference/relations.md',
      'reference/computed.md',
      'reference/schemas.md',
    ],
    Reading: [
      'reference/lists.md',
      'reference/filter.md',
      'reference/search.md',
      'reference/near.md',
      'reference/aggregate.md',
      'reference/export.md',
      'reference/live.md',
      'reference/history.md',
    ],
    Writing: [
      'reference/writes.md',
      'reference/many.md',
      'reference/batch.md',
      'reference/idempotency.md',
      'reference/transactions.md',
      'reference/soft-delete.md',
      'reference/removals.md',
    ],
    'Your own code': [
      'reference/custom-operations.md',
      'reference/hooks.md',
      'reference/middleware.md',
      'reference/store.md',
      'reference/errors.md',
      'reference/answering-with-errors.md',
    ],
    'What others are told': ['reference/openapi.md', 'reference/events.md', 'reference/webhooks.md'],
    Running: ['reference/serving.md', 'reference/indexes.md', 'reference/observing.md', 'reference/audit.md', 'reference/command-line.md'],
  },
  About: {
    'For users': [
      'about/performance.md',
      'about/reliability.md',
      'about/security.md',
      'about/threats.md',
      'about/compatibility.md',
      'about/upgrade-policy.md',
      'about/faq.md',
      'about/changelog.md',
    ],
    'For contributors': ['about/architecture.md', 'about/what-a-request-runs.md', 'about/where-the-time-goes.md', 'about/testing.md'],
  },
} as const;

/** All pages of {@link order}. */
export const listed: readonly string[] = Object.values(order).flatMap((groups) => Object.values(groups).flat());

interface ShownPage {
  readonly path: string;
  readonly title: string;
}

export interface Section {
  readonly text: string;
  readonly groups: readonly { readonly text: string; readonly pages: readonly ShownPage[] }[];
  /** Those of all groups. */
  readonly pages: readonly ShownPage[];
}

/** The sections and groups that have pages, with those that exist, by the titles of the pages. */
export function sections(): Section[] {
  const all = Object.entries(order).map(([text, groupsOf]) => {
    const groups = Object.entries(groupsOf)
      .map(([name, paths]: [string, readonly string[]]) => ({ text: name, pages: paths.filter(exists).map(show) }))
      .filter(({ pages }) => pages.length > 0);
    return { text, groups, pages: groups.flatMap(({ pages }) => pages) };
  });
  return all.filter(({ pages }) => pages.length > 0);
}

function exists(path: string): boolean {
  return existsSync(join(docs, path));
}

function show(path: string): ShownPage {
  return { path, title: titleOf(readFileSync(join(docs, path), 'utf8')) };
}

/** The text of the first heading, without Markdown. */
export function titleOf(page: string): string {
  const [, title = ''] = /^# (.+)$/m.exec(page) ?? [];
  return title.replaceAll('`', '');
}
