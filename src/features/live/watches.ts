import { ConfigurationError } from '../../errors.ts';
import type { Context } from '../../middleware/exchange/context.ts';
import { asCompiled, type CompiledModel, type ModelInput } from '../../model/compile/compile-model.ts';
import { isObject } from '../../model/value/plain-object.ts';
import { everything } from '../../mongo/predicate/read-scope.ts';
import { aFunction, checkOptions, type Legal, type LegalOptions } from '../../options.ts';
import type { WatchedRecords } from './types.ts';

/** {@link WatchedRecords} whose model is compiled. */
export type CompiledWatch = WatchedRecords<Context, CompiledModel>;

type Given = WatchedRecords<Context, ModelInput>;

const legal: LegalOptions<Given> = {
  model: [isObject, 'a model'],
  where: aFunction,
};

/** The legal values of `watches`. */
export const someWatches: Legal = [
  (value) => Array.isArray(value) && value.every(isObjectOfAny),
  'an array of models, or of objects with a model and a function: { model, where }',
];

/** Reads `watches`. Throws a {@link ConfigurationError} for one of another form. */
export function compileWatches(
  watches: readonly (ModelInput | WatchedRecords<never, ModelInput>)[],
  what: string,
): readonly CompiledWatch[] {
  return watches.map((one) => {
    if (!('where' in one)) return { model: asCompiled(one), where: () => everything };
    const { model, where } = checkOptions(one as Given, legal, `\`watches\` of ${what}`);
    if (!model || !where) throw new ConfigurationError(`Each of \`watches\` of ${what} is a model or { model, where }.`);
    return { model: asCompiled(model), where };
  });
}

function isObjectOfAny(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
