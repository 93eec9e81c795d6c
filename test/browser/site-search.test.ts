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
  'read replica': 'guides/read-replicas',
  counter: 'reference/custom-operations',
  encryption: 'guides/encrypted-fields',
  CSFLE: 'guides/encrypted-fields',
  'zero downtime': 'guides/index-changes',
  'hidden index': 'guides/index-changes',
  'presigned url': 'guides/object-store',
  S3: 'guides/object-store',
  money: 'guides/money',
  currency: 'guides/money',
  rounding: 'guides/money',
};

describe('the search of the site', () => {
  it('finds what people call things', async () => {
    const { page } = site;
    await page.goto(site.url);
    await page.locator('.DocSearch-Button').click();
    const first = page.locator('#localsearch-list a').first();
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
});
