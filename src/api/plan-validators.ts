import { type CompiledModel, compileModel } from '../model/compile/compile-model.ts';
import { validatorOf } from '../mongo/validators/collection-validator.ts';
import { compareValidator, type ValidatorComparison, type ValidatorOptions, ValidatorPlan } from '../mongo/validators/validator-plan.ts';
import { readValidator, setValidator } from '../mongo/validators/validators.ts';
import { checkOptions, type LegalOptions, oneOf, orUndefined } from '../options.ts';
import type { Api, Indexing } from './api.ts';
import { askDatabase } from './ask-database.ts';
import { checkApi } from './copies.ts';

const legal: LegalOptions<ValidatorOptions> = {
  validationLevel: orUndefined(oneOf('strict', 'moderate')),
  validationAction: orUndefined(oneOf('error', 'warn')),
};

/**
 * Compares the validators that the models of an api would set (`collectionValidator`) with those of its collections. It
 * sends one command for each collection, and changes nothing. Throws if the database does not answer within `maxTimeMS`
 * of the api.
 *
 * @example
 * console.log(await planValidators(api)); // a table of existing, missing, outdated and conflicting validators
 */
export async function planValidators(api: Api, options: ValidatorOptions = {}): Promise<ValidatorPlan> {
  checkOptions(options, legal, '`planValidators`');
  const { validationLevel = 'moderate', validationAction = 'error' } = options;
  checkApi(api, '`planValidators`');
  const { indexing } = api; // not in the signature: the published types do not have it
  const { db, maxTimeMS } = indexing;
  const collections = [...modelsOf(indexing)].map(async ([collection, models]): Promise<ValidatorComparison> => {
    const existing = await askDatabase('The validators', maxTimeMS, (signal) => readValidator(db, collection, signal));
    const planned = { validator: validatorOf(models), validationLevel, validationAction };
    const state = compareValidator(planned, existing);
    return { collection, models: models.map(({ name }) => name), state, ...planned, existing, isThere: existing !== undefined };
  });
  return new ValidatorPlan(await Promise.all(collections));
}

/**
 * Sets the validators that `planValidators` calls missing or outdated, and drops none. A collection that does not exist
 * is created. It can run again, and in several processes at the same time. MongoDB does not look at the records that
 * are stored already.
 *
 * Throws if the database does not answer within `maxTimeMS` of the api. If a collection has a validator that this
 * library has not made, all others are set first, and then it throws.
 *
 * @returns what was set
 *
 * @example
 * await applyValidators(api, { validationAction: 'warn' }); // on deployment
 */
export async function applyValidators(api: Api, options: ValidatorOptions = {}): Promise<ValidatorComparison[]> {
  const { collections } = await planValidators(api, options);
  const due = collections.filter(({ state }) => state === 'missing' || state === 'outdated');
  for (const one of due) await setValidator(api.indexing.db, one);
  const conflicts = collections.filter(({ state }) => state === 'conflict').map(({ collection }) => `\`${collection}\``);
  if (conflicts.length === 0) return due;
  throw new Error(
    `Validators that this library has not made are in the way: drop them, and call \`applyValidators\` again, or leave these collections to them: ${conflicts.join(', ')}.`,
  );
}

/** Groups models by collection, each once: every resource has compiled its own. */
function modelsOf({ resources, models }: Indexing): Map<string, CompiledModel[]> {
  const byCollection = new Map<string, CompiledModel[]>();
  for (const model of [...resources.map((resource) => resource.model), ...models.map(compileModel)]) {
    const others = byCollection.get(model.collection) ?? [];
    if (!others.some(({ name }) => name === model.name)) byCollection.set(model.collection, [...others, model]);
  }
  return byCollection;
}
