import type { Problem } from '../../../src/index.ts';
import { bare, cases, fieldsOf, hiddenIn, isSeenBy, storeOf, useProbing, wayNames, writes } from './store-errors.ts';

const probing = useProbing();
const others = wayNames.filter((way) => way !== 'an operation'); // which stores.test.ts asks
/** Only of a field with a rule does it depend on the caller whether it is seen. */
const callers = { open: ['ann'], zruled: ['ann', 'staff'], zhush: ['staff'] } as const;

describe.each(others)('what a store refuses in %s', (way) => {
  it.each(Object.keys(writes))('is told to who sees it: every wrong of %s', async (write) => {
    for (const { wrong, sight, run, field, values } of cases.filter((one) => one.write === write)) {
      probing.act = (ctx) => run(storeOf(ctx), values);
      for (const caller of callers[sight]) {
        probing.caught = [];
        const { status, text, errors = [] } = await probing.ways[way](caller);
        const [error] = probing.caught as [Problem];
        expect([wrong, field, error.status, fieldsOf(error.errors)]).toEqual([wrong, field, wrong === 'unique' ? 409 : 422, [field]]);
        expect(text).not.toMatch(hiddenIn(caller));
        if (isSeenBy(caller, sight)) expect([field, status, fieldsOf(errors)]).toEqual([field, error.status, [field]]);
        else expect([field, status, errors, text.includes(bare(field))]).toEqual([field, 500, [], false]);
      }
    }
  });
});
