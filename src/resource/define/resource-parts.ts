import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { ResourceDefinition } from './resource-options.ts';
import type { ListParts } from './whole-list.ts';

/** What a plug-in knows of a resource that is being compiled. What is asked for is compiled for it. */
export interface ResourceParts {
  /** Returns the definition, in which the options of these names are checked. */
  given(...names: readonly (keyof ResourceDefinition)[]): ResourceDefinition;
  /** What reads of its whole list depend on. It has the operations of plug-ins for fields, which cannot ask for it. */
  list(): ListParts;
  /**
   * Whether clients patch its records. Then they use the operations that plug-ins have for fields, unless an option
   * says otherwise.
   */
  readonly isPatched: boolean;
  readonly model: CompiledModel;
  /** The resource, as messages name it. */
  readonly where: string;
}
