import { defineModel, everything, type Guard, t } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';
import { Project, projects, type Stored, Tag, Task, tags } from '../support/models/projects.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
let hooked: unknown[] = [];
const mayPatch: Guard<Any> = (ctx) => ctx.get('x-user') !== 'reader';
const Defaults = defineModel('Defaults', {
  collection: 'defaults',
  fields: {
    id: t.string(),
    tagIds: t.nullable(t.array(t.ref('Tag', { id: t.string(), as: 'tags' }), { default: ['red'] }), { storeNone: true }),
  },
});
const api = useApi(
  database,
  (shop) => [
    shop.resource({
      model: Project,
      links: ['tags'],
      guardsFor: { patch: [mayPatch] },
      scope: (ctx) =>
        ctx.get('x-user') === 'red' ? { tagIds: 'red' } : ctx.get('x-user') === 'noblue' ? { tagIds: { ne: 'blue' } } : everything,
      serverFields: { update: (ctx) => ({ name: `by ${ctx.get('x-user')}` }) },
      after: { patch: [(_ctx, project) => void hooked.push(project.tagIds)] },
    }),
    shop.resource({ model: Project, path: 'strict', links: ['tags'], preconditionRequired: true }),
    shop.resource({
      model: Project,
      path: 'within',
      links: ['tags'],
      within: {
        patch: [
          (_ctx, { before, after }) => {
            hooked.push([before.tagIds, after.tagIds]);
            if (after.tagIds.includes('gray')) throw new Error('no gray');
          },
        ],
      },
    }),
    shop.resource({
      model: Tag,
      guardsFor: { get: [(ctx) => ctx.get('x-user') !== 'blind'], list: [] },
      scope: (ctx) => (ctx.get('x-user') === 'ann' ? { owner: 'ann' } : everything),
    }),
    shop.resource({ model: Task }),
    shop.resource({ model: Defaults, links: ['tags'] }),
  ],
  { batch: true },
);

const collection = (name: string) => database.db.collection<Stored>(name);
beforeEach(async () => {
  for (const name of ['projects', 'tags']) await collection(name).deleteMany({});
  await collection('projects').insertMany(projects.map((one) => ({ ...one, revision: 4 })));
  await collection('tags').insertMany([...tags, { _id: 'pink', label: 'Pink' }]);
  commands.clear();
  hooked = [];
});

const send = (method: string, path: string, user = 'root', headers = {}) =>
  api.request(method, `/api/${path}`, { headers: { 'x-user': user, ...headers } });
const stored = (_id: string) => collection('projects').findOne({ _id });

describe('PUT <resource>/{id}/<relation>/{other}', () => {
  it('adds the id at the end of the array, with one step of the revision and the values of the server', async () => {
    const { status, text, headers } = await send('PUT', 'projects/few/tags/blue');
    expect([status, text, headers.etag]).toEqual([204, '', undefined]);
    expect(commands.events.map(({ commandName }) => commandName)).toEqual(['find', 'findAndModify']);
    expect(await stored('few')).toMatchObject({ tagIds: ['red', 'blue'], revision: 5, name: 'by root' });
  });

  it('changes nothing if the id is there', async () => {
    expect((await send('PUT', 'projects/few/tags/red')).status).toBe(204);
    expect(await stored('few')).toMatchObject({ tagIds: ['red'], revision: 4, name: 'Few' });
  });

  it('begins an array that is not stored', async () => {
    expect((await send('PUT', 'projects/$none/tags/red')).status).toBe(204);
    expect(await stored('$none')).toMatchObject({ tagIds: ['red'], revision: 5 });
  });

  it('keeps maxItems: 422, also under races, and never adds an id twice', async () => {
    const names = ['red', 'blue', 'gray', 'pink'];
    const answers = await Promise.all([...names, ...names].map((name) => send('PUT', `projects/$none/tags/${name}`)));
    const { tagIds, revision } = (await stored('$none')) as Any;
    expect([new Set(tagIds).size, tagIds.length, revision]).toEqual([3, 3, 7]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 204, 204, 204, 204, 204, 422, 422]);
    const refused = answers.find(({ status }) => status === 422);
    expect(refused?.body.errors).toMatchObject([{ field: 'tagIds', rule: 'maxItems', params: { limit: 3 } }]);
  });

  it('is 404 if the other record does not exist or is out of reach, in the same words', async () => {
    const none = await send('PUT', 'projects/few/tags/none', 'ann');
    for (const [other, user] of [
      ['blue', 'ann'],
      ['blue', 'blind'],
      ['%00', 'ann'],
    ] as const)
      expect([(await send('PUT', `projects/few/tags/${other}`, user)).text, none.status]).toEqual([none.text, 404]);
    expect((await send('PUT', 'projects/none/tags/red', 'ann')).text).toBe(none.text);
    expect(await stored('few')).toMatchObject({ tagIds: ['red'], revision: 4 });
    expect((await send('PUT', 'projects/few/tags/red', 'ann')).status).toBe(204);
  });

  it('asks the guards of Patch and the scope of the record', async () => {
    expect((await send('PUT', 'projects/few/tags/blue', 'reader')).status).toBe(403);
    expect((await send('PUT', 'projects/$none/tags/blue', 'red')).status).toBe(404);
    expect((await send('PUT', 'projects/few/tags/blue', 'red')).status).toBe(204);
  });

  it('keeps the record within its scope', async () => {
    const { status, body } = await send('PUT', 'projects/few/tags/blue', 'noblue');
    expect([status, body.errors]).toMatchObject([422, [{ field: 'tagIds', rule: 'scope' }]]);
    expect((await send('PUT', 'projects/few/tags/gray', 'noblue')).status).toBe(204);
  });

  it('adds to what the record shows: nothing for null, and the default for a missing key', async () => {
    await collection('defaults').insertMany([{ _id: 'null', tagIds: null }, { _id: 'none' }] as never);
    for (const one of ['null', 'none']) expect((await send('PUT', `defaults/${one}/tags/blue`)).status).toBe(204);
    expect(await collection('defaults').find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 'none', tagIds: ['red', 'blue'] },
      { _id: 'null', tagIds: ['blue'] },
    ]);
  });

  it('honours If-Match, and requires it where every write does', async () => {
    expect((await send('PUT', 'projects/few/tags/blue', 'root', { 'if-match': '"3"' })).status).toBe(412);
    expect((await send('PUT', 'projects/few/tags/blue', 'root', { 'if-match': '"4"' })).status).toBe(204);
    expect((await send('PUT', 'strict/few/tags/gray')).status).toBe(428);
    expect((await send('PUT', 'strict/few/tags/gray', 'root', { 'if-match': '"5"' })).status).toBe(204);
  });

  it('runs the hooks of Patch, in the transaction and after it', async () => {
    await send('PUT', 'projects/few/tags/blue');
    await send('PUT', 'within/few/tags/pink');
    expect(hooked).toEqual([
      ['red', 'blue'],
      [
        ['red', 'blue'],
        ['red', 'blue', 'pink'],
      ],
    ]);
    await send('DELETE', 'within/few/tags/pink');
    expect((await send('PUT', 'within/few/tags/gray')).status).toBe(500);
    expect(await stored('few')).toMatchObject({ tagIds: ['red', 'blue'] });
  });

  it('is no operation of a batch', async () => {
    const operations = [{ method: 'PUT', path: '/projects/few/tags/blue' }];
    expect((await api.request('POST', '/api/batch', { body: { operations } })).status).toBe(404);
  });
});

describe('DELETE <resource>/{id}/<relation>/{other}', () => {
  it('removes the id, however often it is there, with one step of the revision', async () => {
    await collection('projects').updateOne({ _id: 'full' }, { $set: { tagIds: ['red', 'blue', 'red'] } });
    expect((await send('DELETE', 'projects/full/tags/red')).status).toBe(204);
    expect(await stored('full')).toMatchObject({ tagIds: ['blue'], revision: 5 });
  });

  it('changes nothing if the id is not there, and does not ask for the other record', async () => {
    expect((await send('DELETE', 'projects/few/tags/none')).status).toBe(204);
    expect((await send('DELETE', 'projects/$none/tags/red')).status).toBe(204);
    expect(await stored('few')).toMatchObject({ tagIds: ['red'], revision: 4 });
    expect(commands.events.some(({ command }) => command.find === 'tags')).toBe(false);
    await collection('tags').deleteOne({ _id: 'red' });
    expect((await send('DELETE', 'projects/few/tags/red')).status).toBe(204);
    expect(await stored('few')).toMatchObject({ tagIds: [], revision: 5 });
  });

  it('is 404 for a record that does not exist, and 412 for another revision', async () => {
    expect((await send('DELETE', 'projects/none/tags/red')).status).toBe(404);
    expect((await send('DELETE', 'projects/few/tags/red', 'root', { 'if-match': '"9"' })).status).toBe(412);
    expect((await send('DELETE', 'projects/few/tags/gone', 'root', { 'if-match': '"9"' })).status).toBe(412);
  });

  it('keeps the record within its scope', async () => {
    const { status, body } = await send('DELETE', 'projects/few/tags/red', 'red');
    expect([status, body.errors]).toMatchObject([422, [{ field: 'tagIds', rule: 'scope' }]]);
    expect((await send('DELETE', 'projects/full/tags/blue', 'red')).status).toBe(204);
    expect(await stored('full')).toMatchObject({ tagIds: ['red'] });
  });

  it('answers 405 for what is not served there', async () => {
    expect((await send('POST', 'projects/few/tags/red')).headers.allow).toBe('PUT, DELETE');
    expect((await send('GET', 'projects/few/tags')).status).toBe(404);
  });
});
