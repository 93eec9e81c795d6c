import { beforeAll, describe, expect, it } from '@jest/globals';
import { ObjectId } from 'mongodb';
import { ConfigurationError, defineModel, service, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';

const Doc = defineModel('Doc', { collection: 'docs', fields: { owner: t.string() } });
const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const records = Array.from({ length: 10 }, (_, n) => ({ _id: new ObjectId(), owner: n % 2 ? 'ann' : 'bob' }));

function build(options: object) {
  const shop = service<string>({ authenticate: (ctx) => ctx.get('X-User') });
  const docs = shop.resource({ model: Doc, ops: ['get'], scope: (ctx) => ({ owner: ctx.requirePrincipal() }) });
  return shop.api({ db: database.db, resources: [docs], ...options });
}

beforeAll(async () => {
  await database.db.collection('docs').insertMany(records);
});

describe('shareRoundTrips of an api', () => {
  it.each<[string, object, number]>([
    ['is on by default', {}, 3], // the first one, and one for each owner
    ['can be turned off', { shareRoundTrips: false }, 20],
  ])('%s, and changes no answer', async (_name, options, finds) => {
    const api = build(options);
    const asked = records.flatMap(({ _id, owner }) => ['ann', 'bob'].map((user) => ({ id: _id.toHexString(), owner, user })));
    const statuses = await Promise.all(
      asked.map(async ({ id, user }) => (await api.fetch(new Request(`http://here/docs/${id}`, { headers: { 'X-User': user } }))).status),
    );
    expect(statuses).toEqual(asked.map(({ owner, user }) => (owner === user ? 200 : 404)));
    expect(commands.names).toEqual(Array.from({ length: finds }, () => 'find'));
  });

  it('must be true or false', () => {
    expect(() => build({ shareRoundTrips: 'no' })).toThrow(ConfigurationError);
  });
});
