import type { OptionsOfPlugins } from '../../features/types.ts';
import type { LegalOptions } from '../../options.ts';
import type { CompiledOperation } from '../define/compile-operations.ts';
import type { CompiledResource } from '../define/compiled-resource.ts';
import type { NamedEndpoint } from '../define/endpoints.ts';
import type { ResourceParts } from '../define/resource-parts.ts';
import type { Row } from './row.ts';

/** What a plug-in adds to resources. */
export interface ResourcePlugin {
  /** What is legal for its options. */
  readonly legal: Partial<LegalOptions<OptionsOfPlugins<never, never>>>;
  /**
   * Compiles its options. Rows, facets and descriptions find by this function what it returns: see `facetOf`. Throws a
   * {@link ConfigurationError} for options that cannot be served.
   */
  compile?(parts: ResourceParts): unknown;
  /**
   * The names of its reads that these options ask for: keys of `guardsFor`, which no custom operation may have as its
   * name.
   */
  reads?(parts: ResourceParts): readonly string[];
  /**
   * Compiles the operations that it has for fields. They are changes, as a patch is: the tables of guards and hooks
   * have their names as keys.
   */
  operations?(parts: ResourceParts): CompiledOperation[];
  /** Its other endpoints, which no other operation of the resource may have. */
  endpoints?(parts: ResourceParts): NamedEndpoint[];
  /** The rows of all of them. `others` are those of the library, and of the plug-ins before it. */
  rows(r: CompiledResource, others: readonly Row[]): Row[];
}
