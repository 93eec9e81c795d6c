/**
 * Pages that were merged into others, and where what they said stands now. Others keep links to them, so an entry is
 * never taken out; if its target moves as well, it gets the new one.
 */
export const redirects: Readonly<Record<string, string>> = {
  'about/package.md': 'about/compatibility.md#what-the-package-brings',
  'guides/object-store.md': 'guides/uploads.md#object-stores',
  'guides/read-replicas.md': 'guides/scaling.md#read-replicas',
  'guides/two-resources.md': 'guides/fields-by-role.md#two-resources-for-the-same-records',
  'reference/debugging.md': 'reference/observing.md#commands-of-each-request',
  'reference/within.md': 'reference/hooks.md#hooks-within-the-write',
};
