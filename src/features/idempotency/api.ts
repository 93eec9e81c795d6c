import type { ApiPlugin } from '../../api/plugin.ts';
import { once } from '../../mistakes.ts';
import { aFunction, anObject, aString, aWholeNumber, byDefault, checkOptions, checkValue, required, trueOrFalse } from '../../options.ts';
import type { IdempotencyOptions } from './api-types.ts';
import { describeKey } from './describe.ts';
import { type IdempotencySettings, idempotency } from './idempotency.ts';
import { openIdempotencyKeys } from './keys.ts';
import { compileReplays } from './replays.ts';

/** Keys by which writes can be sent again. */
export const idempotencyKeys: ApiPlugin = {
  options: ['idempotency'],
  open(api) {
    if (!('idempotency' in api.options)) return undefined;
    const { collection, ttl, ...settings } = readSettings(api.options.idempotency);
    const keys = once(() => openIdempotencyKeys({ db: api.db(), collection, ttl, maxTimeMS: api.maxTimeMS() }));
    const middleware = once(() => idempotency(keys(), settings as unknown as IdempotencySettings));
    return {
      carriesOut: true,
      again: () => ({ middleware: middleware(), replaysOf: compileReplays }),
      keeps: () => [keys().kept],
      models: () => [keys().model],
      parametersOf: (chain, components) => (chain.includes(middleware()) ? [describeKey(settings.required, components)] : []),
    };
  },
};

function readSettings(given: unknown) {
  checkValue('`idempotency`', given, anObject('an object: { principal, … }'));
  return {
    required: false,
    ...checkOptions<IdempotencyOptions<never>, typeof legal>(given as IdempotencyOptions<never>, legal, '`idempotency`'),
  };
}

const legal = {
  principal: required(aFunction),
  required: trueOrFalse,
  collection: byDefault('idempotency_keys', aString),
  ttl: byDefault(86_400, aWholeNumber(1, 2 ** 31 - 1, ' of seconds')),
  maxAnswerBytes: byDefault(1_048_576, aWholeNumber(1, 15 * 2 ** 20, ' of bytes')),
};
