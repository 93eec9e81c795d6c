import type { OptionsOfModels } from '../../features/model-types.ts';
import type { FieldTable } from '../node.ts';
import type { DeclaredIndex } from './model-index.ts';

/** An option of models that a plug-in adds, and what it makes of it. */
export interface ModelPart<Made = unknown> {
  readonly option: keyof OptionsOfModels<string>;
  /** Compiles the option of a model. Throws a {@link ConfigurationError} for a value that is not legal. */
  compile(given: unknown, model: ModelToCompile): Made;
  /** The fields that the database looks for because of it, by their names. */
  fields?(given: unknown): readonly string[];
  /** Whether callers have it who do not see all fields of a record: the others are private in their `table`. */
  isInView(made: Made, table: FieldTable): boolean;
  /** Throws a {@link ConfigurationError} for models that cannot be in one api. */
  checkTogether?(models: readonly ModelWithParts[]): void;
}

/** What is known of a model when its options are compiled. */
export interface ModelToCompile {
  readonly name: string;
  readonly table: FieldTable;
  readonly indexes: readonly DeclaredIndex[];
}

/** What a plug-in may compare of the models of an api. */
export interface ModelWithParts {
  readonly name: string;
  readonly collection: string;
  readonly fieldTable: FieldTable;
  readonly indexes: readonly DeclaredIndex[];
  readonly parts: ModelParts;
}

/** What plug-ins have made of a model. */
export type ModelParts = ReadonlyMap<ModelPart, unknown>;

/** What a plug-in has made of its option of a model. Undefined if there is none, or the caller does not see it. */
export function partOf<Made>({ parts }: { readonly parts: ModelParts }, part: ModelPart<Made>): Made | undefined {
  return parts.get(part as ModelPart) as Made | undefined;
}
