import fc from 'fast-check';
import { defineModel, t } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { cases } from '../support/fuzzing/fuzz.ts';
import { useApi } from '../support/http/api.ts';

/*
 * Conditional requests, as RFC 9110 §13 has them: every method with every pair of If-Match and If-None-Match, on
 * records that are there, that are not, and that have no entity tag. What is expected is worked out here from the RFC's
 * own order of evaluation (§13.2.2), by text alone.
 */

const text = t.string({ default: '' });
const Tagged = defineModel('Tagged', { collection: 'tagged', fields: { id: t.string(), text, revision: t.revision() } });
const Bare = defineModel('Bare', { collection: 'bare', fields: { id: t.string(), text } });

const database = useDatabase();
const ops = ['get', 'patch', 'put', 'delete'] as const;
const touch = {
  handler: async (ctx: { load(): Promise<{ text: string }>; save(one: never): Promise<unknown> }) => ctx.save((await ctx.load()) as never),
};
const api = useApi(database, (shop) => [
  shop.resource({ model: Tagged, ops, operations: { touch } }),
  shop.resource({ model: Bare, ops, operations: { touch } }),
]);

interface Asked {
  readonly method: 'GET' | 'HEAD' | 'PATCH' | 'PUT' | 'DELETE' | 'POST';
  readonly resource: 'tagged' | 'bare';
  readonly exists: boolean;
  readonly ifMatch: string | undefined;
  readonly ifNoneMatch: string | undefined;
}

/** The tag of the record that is stored here. */
const current = '"7"';

/** The members of a header, where it follows the grammar of §8.8.3 and §5.6.1.2. */
function membersOf(header: string): string[] | undefined {
  const members = header.split(',').map((one) => one.replace(/^[ \t]+|[ \t]+$/g, ''));
  const filled = members.filter((one) => one !== '');
  if (filled.length === 1 && members.length === 1 && filled[0] === '*') return ['*'];
  return filled.every((one) => /^(?:W\/)?"[\x21\x23-\x2b\x2d-\x7e]*"$/.test(one)) ? filled : undefined;
}

/** §8.8.3.2. */
const strongly = (member: string) => member === current;
const weakly = (member: string) => member.replace(/^W\//, '') === current;

function expectedStatus({ method, resource, exists, ifMatch, ifNoneMatch }: Asked): number {
  const isRead = method === 'GET' || method === 'HEAD';
  const [match, noneMatch] = [ifMatch, ifNoneMatch].map((header) => (header === undefined ? undefined : membersOf(header)));
  if (ifMatch !== undefined && !match) return 400;
  if (!isRead && ifNoneMatch !== undefined && !noneMatch) return 400;
  if (!exists) return 404; // §13.2.1: the answer without the preconditions would be no 2xx
  const hasTag = resource === 'tagged';
  if (match && !match.some((one) => one === '*' || (hasTag && strongly(one)))) return 412; // §13.2.2 step 1
  const stops = noneMatch?.some((one) => one === '*' || (hasTag && weakly(one))) === true; // step 3
  if (stops && !isRead) return 412;
  if (stops && hasTag) return 304;
  return method === 'DELETE' ? 204 : 200;
}

const member = fc.constantFrom(current, 'W/"7"', '"6"', 'W/"6"', '"07"', '"*"', '""', '*', '', '7', '"7', 'w/"7"', '"a\\"');
const header = fc.option(
  fc
    .array(member, { minLength: 1, maxLength: 3 })
    .chain((members) => fc.constantFrom(',', ', ', ' ,\t').map((comma) => members.join(comma))),
  {
    nil: undefined,
  },
);
const asked: fc.Arbitrary<Asked> = fc.record({
  method: fc.constantFrom('GET', 'HEAD', 'PATCH', 'PUT', 'DELETE', 'POST'),
  resource: fc.constantFrom('tagged', 'bare'),
  exists: fc.boolean(),
  ifMatch: header,
  ifNoneMatch: header,
});

describe('a conditional request (RFC 9110 §13)', () => {
  it('is answered as the order of evaluation has it, and what is refused has changed nothing', async () => {
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(asked, async (one) => {
        const { method, resource, exists, ifMatch, ifNoneMatch } = one;
        const records = database.db.collection<{ _id: string }>(resource);
        const before = { _id: 'a', text: '', ...(resource === 'tagged' && { revision: 7 }) };
        if (exists) await records.replaceOne({ _id: 'a' }, before, { upsert: true });
        else await records.deleteOne({ _id: 'a' });
        const body = method === 'PATCH' || method === 'PUT' ? { text: 'new' } : undefined;
        const {
          status,
          headers,
          text: sent,
        } = await api.request(method, `/api/${resource}/a${method === 'POST' ? '/touch' : ''}`, {
          headers: { 'if-match': ifMatch, 'if-none-match': ifNoneMatch },
          ...(body && { body }),
        });
        seen.add(status);
        expect(status).toBe(expectedStatus(one));
        if (status >= 300) expect(await records.find().toArray()).toEqual(exists ? [before] : []);
        if (status === 304)
          expect([headers.etag, headers['cache-control'], headers.vary, sent]).toEqual([
            current,
            'private, no-cache',
            'Authorization, Cookie',
            '',
          ]);
        if (status === 412) expect(headers).not.toHaveProperty('etag');
      }),
      cases(334),
    );
    expect([...seen].sort()).toEqual([200, 204, 304, 400, 404, 412]);
    expect(api.errors).toEqual([]);
  });
});
