import { useSite } from '../support/http/serve-site.ts';

const site = useSite();

/** What people call things, and the page that the search must show first. */
const wanted: Readonly<Record<string, string>> = {
  pagination: 'reference/lists',
  sort: 'reference/lists',
  projection: 'reference/lists',
  migration: 'guides/existing-collections',
  populate: 'reference/relations',
  join: 'reference/relations',
  'N+1': 'reference/relations',
  'optimistic locking': 'reference/writes',
  etag: 'reference/writes',
  'rate limit': 'guides/rate-limits',
  upsert: 'reference/store',
  transaction: 'reference/transactions',
  roles: 'guides/fields-by-role',
  'multi-tenant': 'guides/tenants',
  webhook: 'guides/webhooks',
  'changes feed': 'reference/events',
  CSV: 'reference/export',
  GDPR: 'guides/forgetting-people',
  'soft delete': 'reference/soft-delete',
  versioning: 'guides/api-versions',
  validation: 'reference/models',
  OpenAPI: 'reference/openapi',
  swagger: 'reference/openapi',
  retry: 'reference/idempotency',
  idempotency: 'reference/idempotency',
  'full-text search': 'reference/search',
  'file upload': 'guides/uploads',
  'feature flag': 'guides/feature-flags',
  gateway: 'guides/openapi-proxy',
  'read replica': 'guides/scaling',
  counter: 'reference/custom-operations',
  encryption: 'guides/encrypted-fields',
  CSFLE: 'guides/encrypted-fields',
  'zero downtime': 'guides/index-changes',
  'hidden index': 'guides/index-changes',
  'presigned url': 'guides/uploads',
  S3: 'guides/uploads',
  money: 'guides/money',
  currency: 'guides/money',
  rounding: 'guides/money',
  'double booking': 'guides/transactions',
  overlap: 'guides/transactions',
  'audit log': 'guides/audit-trail',
  'multi tenancy': 'guides/tenants',
  RBAC: 'guides/fields-by-role',
  'full-text': 'reference/search',
  geo: 'reference/near',
  'group by': 'reference/aggregate',
  SSE: 'reference/live',
  websocket: 'reference/live',
  realtime: 'reference/live',
  'bulk update': 'reference/many',
  JWT: 'guides/authentication',
  login: 'guides/authentication',
  'state machine': 'guides/steps-and-numbers',
  'sequence number': 'guides/steps-and-numbers',
  mongoose: 'guides/beside-mongoose',
  CDN: 'guides/caching',
  docker: 'guides/deployment',
  kubernetes: 'guides/deployment',
  prometheus: 'reference/observing',
  tracing: 'reference/observing',
  MCP: 'clients/agents',
  'foreign key': 'reference/relations',
  'virtual field': 'reference/computed',
  trash: 'guides/soft-delete',
  'nested resources': 'reference/relations',
  'problem details': 'reference/answering-with-errors',
};

describe('the search of the site', () => {
  it('finds what people call things', async () => {
    const { page } = site;
    await page.goto(site.url);
    await page.locator('.DocSearch-Button').click();
    const first = page.locator('#localsearch-list :is(a, .no-results)').first();
    const found: Record<string, string> = {};
    for (const words of Object.keys(wanted)) {
      await page.locator('#localsearch-input').fill('');
      await first.waitFor({ state: 'detached' });
      await page.locator('#localsearch-input').fill(words);
      const href = (await first.getAttribute('href')) ?? '';
      found[words] = href.slice(new URL(site.url).pathname.length).replace(/\.html.*$/, '');
    }
    expect(found).toEqual(wanted);
  });

  it('finds a sentence in the middle of a page, and no changelog before a page', async () => {
    const { page } = site;
    await page.goto(site.url);
    await page.locator('.DocSearch-Button').click();
    const found = page.locator('#localsearch-list a');
    const pagesOf = async (words: string) => {
      await page.locator('#localsearch-input').fill('');
      await found.first().waitFor({ state: 'detached' });
      await page.locator('#localsearch-input').fill(words);
      await found.first().waitFor();
      return found.evaluateAll((all) => all.map((one) => one.getAttribute('href') ?? ''));
    };
    expect((await pagesOf('room booked twice for the same time'))[0]).toContain('guides/transactions');
    for (const words of ['mongoose', 'cursor', 'hooks', 'scope', 'aggregate']) {
      const hrefs = await pagesOf(words);
      expect([
        words,
        hrefs.findIndex((href) => href.includes('changelog')) > 2 || !hrefs.some((href) => href.includes('changelog')),
      ]).toEqual([words, true]);
    }
  });
});
