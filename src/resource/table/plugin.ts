import type { OptionsOfPlugins } from '../../features/types.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { LegalOptions } from '../../options.ts';
import type { CompiledOperation } from '../define/compile-operations.ts';
import type { CompiledResource } from '../define/compiled-resource.ts';
import type { NamedEndpoint } from '../define/endpoints.ts';
import type { ResourceDefinition } from '../define/resource-options.ts';
import type { Row } from './row.ts';

/** What a plug-in adds to resources. */
export interface ResourcePlugin {
  /** What is legal for its options. */
  readonly legal: Partial<LegalOptions<OptionsOfPlugins<never>>>;
  /**
   * Compiles the operations that it has for fields. They are changes, as a patch is: the tables of guards and hooks
   * have their names as keys.
   */
  operations?(parts: ResourceParts): CompiledOperation[];
  /** Its other endpoints, which no other operation of the resource may have. */
  endpoints?(parts: ResourceParts): NamedEndpoint[];
  /** The rows of all of them. */
  rows(r: CompiledResource): Row[];
}

/** What a plug-in knows of a resource that is being compiled. */
export interface ResourceParts {
  /** Returns the definition, in which the options of these names are checked. */
  given(...names: readonly (keyof ResourceDefinition)[]): ResourceDefinition;
  /**
   * Whether clients patch its records. Then they use the operations that plug-ins have for fields, unless an option
   * says otherwise.
   */
  readonly isPatched: boolean;
  readonly model: CompiledModel;
  /** The resource, as messages name it. */
  readonly where: string;
}
