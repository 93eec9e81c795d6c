import { ObjectId } from 'mongodb';
import { ConfigurationError, defineModel, service, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';

const Doc = defineModel('Doc', { collection: 'docs', fields: { owner: t.string() } });
const Note = defineModel('Note', { collection: 'notes', fields: { id: t.string({ policy: { insert: true } }), text: t.string() } });
const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const records = Array.from({ length: 40 }, (_, n) => ({ _id: new ObjectId(), owner: n % 2 ? 'ann' : 'bob' }));

function build(options: object) {
  const shop = service<string>({ authenticate: (ctx) => ctx.get('X-User') });
  const docs = shop.resource({ model: Doc, ops: ['get'], scope: (ctx) => ({ owner: ctx.requirePrincipal() }) });
  const notes = shop.resource({ model: Note, ops: ['create'] });
  return shop.api({ db: database.db, resources: [docs, notes], ...options });
}

beforeAll(async () => {
  await database.db.collection('docs').insertMany(records);
});

describe('shareRoundTrips of an api', () => {
  // How many commands there are says nothing: on a slow machine, a shared one is given up, and each record read alone.
  it.each<[string, object, boolean]>([
    ['is on by default', {}, true],
    ['can be turned off', { shareRoundTrips: false }, false],
  ])('%s, and changes no answer', async (_name, options, areShared) => {
    const api = build(options);
    const asked = records.flatMap(({ _id, owner }) => ['ann', 'bob'].map((user) => ({ id: _id.toHexString(), owner, user })));
    const statuses = await Promise.all(
      asked.map(async ({ id, user }) => (await api.fetch(new Request(`http://here/docs/${id}`, { headers: { 'X-User': user } }))).status),
    );
    expect(statuses).toEqual(asked.map(({ owner, user }) => (owner === user ? 200 : 404)));
    expect([...new Set(commands.names)]).toEqual(['find']);
    expect(commands.events.some(({ command }) => command.filter._id.$in)).toBe(areShared);
  });

  it.each<[string, object, boolean]>([
    ['sends creates together', {}, true],
    ['can be turned off for creates', { shareRoundTrips: false }, false],
  ])('%s, and changes no answer', async (_name, options, areShared) => {
    await database.db.collection('notes').deleteMany({});
    commands.clear();
    const api = build(options);
    // Many, because creates share a command only if they meet in one turn of the event loop.
    const others = Array.from({ length: 60 }, (_, index) => `other ${index}`);
    const ids = ['a', 'b', 'a', 'c', 'd', 'b', 'e', 'f', '', 'g', 'a', 'h', 'i', ...others];
    const answers = await Promise.all(
      ids.map(async (id) => {
        const body = JSON.stringify({ id, text: `text of ${id}` });
        const answer = await api.fetch(
          new Request('http://here/notes', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body }),
        );
        const { data, code, errors } = (await answer.json()) as { data?: object; code?: string; errors?: { field: string }[] };
        return { status: answer.status, location: answer.headers.get('location'), data, code, fields: errors?.map(({ field }) => field) };
      }),
    );
    // Which of two creates with one id comes first is a race; that it is exactly one is not.
    const firsts = ids.filter((id, place) => id !== '' && ids.indexOf(id) === place);
    const created = (id: string) => ({ status: 201, location: `/notes/${encodeURIComponent(id)}`, data: { id, text: `text of ${id}` } });
    const taken = { status: 409, location: null, data: undefined, code: 'duplicate_key', fields: ['id'] };
    const invalid = { status: 422, location: null, data: undefined, code: 'validation_failed', fields: ['id'] };
    const expected = ids.map((id, place) => {
      if (id === '') return invalid;
      return answers[place]?.status === 409 ? taken : { ...created(id), code: undefined, fields: undefined };
    });
    expect(answers).toEqual(expected);
    const winners = ids.filter((_id, place) => answers[place]?.status === 201);
    expect(winners.toSorted()).toEqual(firsts.toSorted());
    expect([...new Set(commands.names)]).toEqual(['insert']);
    expect(commands.events.some(({ command }) => command.documents.length > 1)).toBe(areShared);
  });

  it('is for callers of different views, too, and shows each of them what is theirs', async () => {
    const seen = t.string({ policy: { insert: true, update: ['editors'] } });
    const Plan = defineModel('Plan', { collection: 'plans', fields: { id: t.string({ policy: { insert: true } }), text: seen } });
    const shop = service({
      authenticate: (ctx) => ctx.get('X-User'),
      rules: { editors: (user) => user === 'ann' },
    });
    const plans = shop.resource({ model: Plan });
    const api = shop.api({ db: database.db, resources: [plans] });
    const users = ['ann', 'bob'];
    const ask = (user: string, path: string, body?: object) => {
      const headers = { 'X-User': user, 'Content-Type': 'application/json' };
      return api.fetch(new Request(`http://here${path}`, body ? { method: 'POST', headers, body: JSON.stringify(body) } : { headers }));
    };
    const asked = Array.from({ length: 40 }, (_, n) => users.map((user) => ({ user, id: `${user} ${n}`, text: `by ${user}` }))).flat();
    const made = await Promise.all(asked.map(({ user, ...body }) => ask(user, '/plans', body)));
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([201]));
    const found = await Promise.all(asked.map(({ user, id }) => ask(user, `/plans/${encodeURIComponent(id)}`)));
    expect(await Promise.all(found.map((one) => one.json()))).toEqual(asked.map(({ id, text }) => ({ data: { id, text } })));
    const isOfBoth = (ids: readonly string[]) => users.every((user) => ids.some((id) => id.startsWith(user)));
    const inserted = commands.events.map(({ command }) => (command.documents ?? []).map(({ _id }: { _id: string }) => _id));
    const read = commands.events.map(({ command }) => command.filter?._id?.$in ?? []);
    expect([inserted.some(isOfBoth), read.some(isOfBoth)]).toEqual([true, true]);
  });

  it('must be true or false', () => {
    expect(() => build({ shareRoundTrips: 'no' })).toThrow(ConfigurationError);
  });
});
