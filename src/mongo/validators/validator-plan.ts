import { inspect } from 'node:util';
import { BSON } from 'mongodb';
import { type CollectionValidator, mark } from './collection-validator.ts';

/** How MongoDB applies a validator. */
export interface ValidatorOptions {
  /**
   * Which writes are validated: `'strict'` all of them, `'moderate'` inserts, and updates of records that fit already.
   * @default 'moderate'
   */
  readonly validationLevel?: 'strict' | 'moderate';
  /**
   * What happens to a write that does not fit: `'error'` refuses it, `'warn'` writes it and logs it at the server.
   *
   * @default 'error'
   */
  readonly validationAction?: 'error' | 'warn';
}

/** A validator with its options, as a collection has it. */
export interface ExistingValidator {
  readonly validator: Readonly<Record<string, unknown>>;
  readonly validationLevel: string;
  readonly validationAction: string;
}

/** The validator that an api would set in one collection. */
export interface ValidatorComparison {
  readonly collection: string;
  /** The models whose records the collection has. */
  readonly models: readonly string[];
  /**
   * `'exists'`: as planned. `'missing'`: the collection has no validator, or does not exist. `'outdated'`: this library
   * has made the existing one of another definition or with other options. `'conflict'`: the existing one is not of
   * this library, and only you can decide to drop it.
   */
  readonly state: 'exists' | 'missing' | 'outdated' | 'conflict';
  readonly validator: CollectionValidator;
  readonly validationLevel: 'strict' | 'moderate';
  readonly validationAction: 'error' | 'warn';
  readonly existing: ExistingValidator | undefined;
  /** Whether the collection exists. */
  readonly isThere: boolean;
}

/**
 * The validators that the models of an api would set in its collections, compared with those that exist. As a string,
 * and in the console, it is a table.
 *
 * @example
 * const plan = await planValidators(api);
 * if (plan.collections.some(({ existing }) => existing === undefined)) console.log(`${plan}`);
 */
export class ValidatorPlan {
  /** One comparison for each collection. */
  readonly collections: readonly ValidatorComparison[];

  constructor(collections: readonly ValidatorComparison[]) {
    this.collections = collections;
  }

  toString(): string {
    const width = Math.max(0, ...this.collections.map(({ collection }) => collection.length));
    return this.collections.map((one) => `${one.state.padEnd(8)}  ${one.collection.padEnd(width)}  ${describe(one)}`).join('\n');
  }

  [inspect.custom](): string {
    return this.toString();
  }
}

function describe({ models, validationLevel, validationAction, state, existing }: ValidatorComparison): string {
  const options = `${models.join(' or ')}: ${validationLevel}, ${validationAction}`;
  if (state === 'conflict') return `${options}; there is a validator that this library has not made`;
  return state === 'outdated' ? `${options}; there is an older one: ${existing?.validationLevel}, ${existing?.validationAction}` : options;
}

/** Compares a planned validator with what a collection has. */
export function compareValidator(
  planned: Pick<ValidatorComparison, 'validator' | 'validationLevel' | 'validationAction'>,
  existing: ExistingValidator | undefined,
): ValidatorComparison['state'] {
  if (!existing || Object.keys(existing.validator).length === 0) return 'missing';
  const { $jsonSchema, ...others } = existing.validator;
  const { description } = ($jsonSchema ?? {}) as Readonly<Record<string, unknown>>;
  if (description !== mark || Object.keys(others).length > 0) return 'conflict';
  const hasOptions = existing.validationLevel === planned.validationLevel && existing.validationAction === planned.validationAction;
  return hasOptions && isSame(planned.validator, existing.validator) ? 'exists' : 'outdated';
}

/** Compares the BSON: bounds may be of any numeric type. */
function isSame(a: object, b: object): boolean {
  return Buffer.compare(BSON.serialize(a), BSON.serialize(b)) === 0;
}
