import { graceMS } from '../../../src/mongo/driver/time-limit.ts';
import { aTimeLimit } from '../../../src/options.ts';

/** Node waits for a millisecond where a timer is longer. */
const longestTimer = 2 ** 31 - 1;

it('the longest time limit and the grace behind it are what a timer can wait for', () => {
  const [isLegal] = aTimeLimit;
  expect([longestTimer - graceMS, longestTimer - graceMS + 1, 1, 0].map(isLegal)).toEqual([true, false, true, false]);
});
