import { join } from 'node:path';
import type { Plugin } from 'vitepress';

/** Finds the packages that the compiled pages import: docs/ is outside of this folder, which has them. */
export function resolveFromSite(): Plugin {
  return {
    name: 'resolve-from-site',
    enforce: 'pre',
    resolveId(id, importer, options) {
      const isPage = importer?.includes('/docs/') && importer.endsWith('.md');
      return isPage && /^vue($|\/)/.test(id)
        ? this.resolve(id, join(import.meta.dirname, 'config.ts'), { ...options, skipSelf: true })
        : null;
    },
  };
}
