import type { ProblemCode } from '../../errors.ts';
import type { LimitsOfLists, OptionsOfLists } from '../../features/list-types.ts';
import type { QueryParameter } from '../../http/query-string.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import type { Asked, ReadParameters } from '../../mongo/list/asked.ts';
import type { SortKey } from '../../mongo/query/position.ts';
import type { LegalOptions, WithDefault } from '../../options.ts';
import type { Context } from './context.ts';

/** What a plug-in adds to lists: parameters that find records in a way of their own. */
export interface ListPlugin {
  /** What is legal for its options of a resource. */
  readonly ofResources?: Partial<LegalOptions<OptionsOfLists>>;
  /** What is legal for the same options of the middlewares that read a list. */
  readonly ofMiddlewares?: Partial<LegalOptions<OptionsOfLists>>;
  /** Its limits for the lists of an api, which these middlewares have, too. */
  readonly limits?: { readonly [Name in keyof LimitsOfLists]?: WithDefault<number> };
  /** What it adds to the list of a model, as its callers see it. Undefined for a list that has nothing of it. */
  addTo(model: CompiledModel, options: FilledOptions): AddedToList | undefined;
}

/** The options of plug-ins for one list. */
export type FilledOptions = OptionsOfLists & Required<LimitsOfLists>;

/** What a plug-in adds to a list. */
export interface AddedToList {
  readonly parameters: readonly PluginParameter[];
  /** Whether they are about one page, so that a list which is answered whole does not have them. @default false */
  readonly isOfPages?: boolean;
  /** The members that it adds to `page` of an answer: their JSON Schemas. */
  readonly ofPage?: Readonly<Record<string, object>>;
  /** The problems that it adds to those of the list. */
  problems?(method: string): readonly ProblemCode[];
  /** Loads what reads the parameters, and all that follows from them. Only requests that have one load it. */
  load(): Promise<ReadParameters>;
  /** Asks the application about what a request asks for, whose records are in the order of `sort`. */
  ask?(asked: Asked, sort: readonly SortKey[], ctx: Context): Promise<Asked>;
}

/** A parameter of a plug-in. No filterable field may have such a name. */
export interface PluginParameter {
  readonly name: string;
  /**
   * Whether it decides which records there are: then what tells of a list without its pages has it, too, and no
   * parameter of another plug-in that finds records may stand beside it.
   */
  readonly finds: boolean;
  /** Whether a parameter of its name is this one, and no filter. @default one without an operator or `[]` */
  isMeant?(parameter: QueryParameter): boolean;
  /** How it is described to clients. */
  describe(): readonly DescribedParameter[];
}

/** The description of a parameter, or of one of the forms that it has. */
export interface DescribedParameter {
  readonly name: string;
  readonly description: string;
  readonly schema: Readonly<Record<string, unknown>>;
}
