import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { count, makeLedger, post, postings, reset } from './parts/ledger.ts';
import { type Deployment, startMongods } from './parts/mongods.ts';

let deployment: Deployment;
beforeAll(async () => {
  deployment = await startMongods('standalone');
});
afterAll(() => deployment.stop());

it('a standalone server is named at start, and what needs transactions is 501 and writes nothing', async () => {
  const warn = jest.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const db = (await deployment.connect()).db('ledger');
  await reset(db);
  const ledger = makeLedger(db);
  const said = warn.mock.calls.map(([message]) => String(message));
  warn.mockRestore();
  expect(said).toEqual([expect.stringMatching(/standalone server .* `batch`, `idempotency`, `within` of resource `accounts` need/)]);
  const before = await count(db);
  for (const posting of Object.values(postings))
    for (const key of [undefined, 'k'])
      expect(await post(ledger, posting, key)).toMatchObject({ status: 501, code: 'replica_set_required' });
  expect(await count(db)).toEqual(before);
  expect((await ledger.fetch(new Request('http://ledger/accounts/a'))).status).toBe(200);
});
