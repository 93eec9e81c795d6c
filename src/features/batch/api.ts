import type { ApiParts, ApiPlugin } from '../../api/plugin.ts';
import { ConfigurationError } from '../../errors.ts';
import { bodyLimits } from '../../middleware/body-limit.ts';
import { composeChain } from '../../middleware/exchange/step.ts';
import { once } from '../../mistakes.ts';
import { isObject } from '../../model/value/plain-object.ts';
import { aPageBound } from '../../mongo/list/page-bytes.ts';
import { aWholeNumber, byDefault, checkOptions, defaultOf } from '../../options.ts';
import type { BatchOptions } from './api-types.ts';
import { compileChain } from './chain.ts';
import { batchPath, describeBatch } from './describe.ts';

/** Several writes of an api by one request, in one transaction. */
export const batches: ApiPlugin = {
  options: ['batch'],
  open(api) {
    const limits = readLimits(api.options);
    if (!limits) return undefined;
    const chain = once(() => compileChain(api, limits));
    return {
      carriesOut: true,
      serves: {
        path: batchPath,
        what: 'batches there, unless `batch` is false',
        routes: () => [{ method: 'POST', path: '/', name: 'batch', readsJson: true, run: composeChain(chain()) }],
        describe: (described, components) =>
          describeBatch(described, { chain: chain(), resources: api.resources(), ...limits }, components),
      },
    };
  },
};

/** Reads `batch` of an api; undefined if batches are not served. */
function readLimits({ batch = false, maxBody }: ApiParts['options']): Required<BatchOptions> | undefined {
  if (batch === false) return undefined;
  if (batch !== true && !isObject(batch))
    throw new ConfigurationError('`batch` must be true, false or `{ maxOperations, maxBytes, maxAnswerBytes }`.');
  const limits = checkOptions<BatchOptions, typeof legal>(batch === true ? {} : batch, legal, '`batch`');
  return { ...limits, maxBytes: limits.maxBytes ?? maxBody ?? defaultOf(bodyLimits.maxBody) };
}

const legal = {
  maxOperations: byDefault(100, aWholeNumber(1, 1_000, ' of operations')),
  maxBytes: aWholeNumber(1, undefined, ' of bytes'),
  maxAnswerBytes: aPageBound,
};
