import { defineModel, jsonBody, Problem, service, t, type WithinHook } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { useApi } from '../support/http/api.ts';

const id = t.string({ policy: { insert: true, filter: ['in'] } });
const Doc = defineModel('Doc', {
  collection: 'docs',
  fields: {
    id,
    text: t.string({ default: 'd' }),
    big: t.optional(t.string()),
    tagIds: t.array(t.ref('Tag', { id: t.string(), as: 'tags' }), { default: [] }),
    deletedAt: t.deletedAt(),
    revision: t.revision(),
  },
});
const Plain = defineModel('Plain', { collection: 'docs', fields: { id, text: t.string({ default: 'd' }) } });
const Tag = defineModel('Tag', { collection: 'tags', fields: { id } });
const Entry = defineModel('Entry', { collection: 'entries', fields: { what: t.string() } });

let calls: unknown[][] = [];
/** How many attempts of a transaction are lost. */
let losses = 0;
const note =
  (name: string): Any =>
  (...[, given]: unknown[]) =>
    void calls.push([name, given]);
const [wide, narrow, single, after] = [note('write'), note('change'), note('patch'), note('after')] as [Any, Any, Any, Any];
const written: WithinHook<Any, Any, Any> = async (_ctx, { before, after: is, tx }) => {
  calls.push(['within', before?.text ?? null, is?.text ?? null]);
  await tx.store(Entry).create({ what: 'written' });
  if (losses-- > 0) throw Object.assign(new Error('lost'), { hasErrorLabel: (label: string) => label === 'TransientTransactionError' });
  if (is?.text === 'refused') throw new Problem({ code: 'forbidden', detail: 'No.' });
};
const database = useDatabase();
const rename = {
  use: [jsonBody({ schema: t.object('Rename', { text: t.string() }) })],
  handler: async (ctx: Any) => ctx.save(Object.assign(await ctx.load(), ctx.request.body)),
};
const api = useApi(
  database,
  (shop) => [
    shop.resource({
      model: Doc,
      ops: ['list', 'get', 'create', 'patch', 'put', 'delete', 'restore', 'patchMany', 'deleteMany'],
      guardsFor: {
        read: [(ctx) => ctx.get('x-closed') !== 'read'],
        write: [(ctx) => ctx.get('x-closed') !== 'write'],
        change: [(ctx) => ctx.get('x-closed') !== 'change'],
        remove: [(ctx) => ctx.get('x-closed') !== 'remove'],
      },
      before: { write: [wide], change: [narrow, wide], patch: [single, narrow] },
      within: { write: [written], rename: [written], touch: [written], store: [written] },
      after: { remove: [after] },
      operations: {
        rename,
        touch: { handler: async (ctx: Any) => ctx.save(await ctx.load()) },
        store: { path: '/store', handler: async (ctx: Any) => void (await ctx.store(Entry).create({ what: 'stored' })) },
      },
    }),
    shop.resource({
      model: Doc,
      path: 'linked',
      ops: ['patch'],
      links: ['tags'],
      guardsFor: { change: [(ctx) => ctx.get('x-closed') !== 'change'] },
      within: { change: [written] },
      after: { change: [after] },
    }),
    shop.resource({ model: Plain, path: 'plain', ops: ['patch', 'put', 'patchMany'], within: { change: [written] } }),
    shop.resource({ model: Tag }),
    shop.resource({ model: Entry }),
  ],
  { batch: true, undescribed: ['forbidden'] },
);
const docs = () => database.db.collection<{ _id: string; [key: string]: unknown }>('docs');
const entries = () => database.db.collection('entries').countDocuments();

beforeEach(async () => {
  for (const name of ['docs', 'entries', 'tags']) await database.db.collection(name).deleteMany({});
  await docs().insertMany(['a', 'b'].map((_id) => ({ _id, text: _id, tagIds: [], revision: 0 })));
  await docs().insertOne({ _id: 'gone', text: 'gone', tagIds: [], revision: 0, deletedAt: new Date(0) });
  await database.db.collection<{ _id: string }>('tags').insertOne({ _id: 'red' });
  calls = [];
  losses = 0;
});

const requests: readonly [operation: string, groups: string, method: string, path: string, body?: object][] = [
  ['list', 'read', 'GET', '/docs'],
  ['get', 'read', 'GET', '/docs/a'],
  ['create', 'write', 'POST', '/docs', { id: 'new' }],
  ['patch', 'write change', 'PATCH', '/docs/a', { text: 'x' }],
  ['put', 'write change', 'PUT', '/docs/a', { text: 'x' }],
  ['restore', 'write change', 'POST', '/docs/gone/restore'],
  ['patchMany', 'write change', 'PATCH', '/docs?id[in]=a,b', { text: 'x' }],
  ['delete', 'write remove', 'DELETE', '/docs/a'],
  ['deleteMany', 'write remove', 'DELETE', '/docs?id[in]=a,b'],
  ['a link', 'change', 'PUT', '/linked/a/tags/red'],
];

describe('a guard of a group', () => {
  const groups = ['read', 'write', 'change', 'remove'];
  it.each(requests)('closes %s if it is one of %s', async (...[, own, method, path, body]) => {
    for (const group of groups) {
      const answer = await api.request(method, `/api${path}`, { headers: { 'x-closed': group }, ...(body && { body }) });
      if (own.split(' ').includes(group)) expect([group, answer.status]).toEqual([group, 403]);
    }
  });

  it('lets the operations of other groups pass', async () => {
    for (const [, own, method, path, body] of requests.slice(0, 3)) {
      const other = own === 'read' ? 'write' : 'read';
      const answer = await api.request(method, `/api${path}`, { headers: { 'x-closed': other }, ...(body && { body }) });
      expect(answer.status).toBeLessThan(300);
    }
  });

  it('closes the operations of a batch', async () => {
    const operations = [{ method: 'PUT', path: '/docs/a', body: { text: 'x' } }];
    const answer = await api.request('POST', '/api/batch', { headers: { 'x-closed': 'change' }, body: { operations } });
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
  });
});

describe('hooks of groups', () => {
  it('run in the order of wide groups, narrow groups, operation, and each runs once', async () => {
    await api.request('PATCH', '/api/docs/a', { body: { text: 'x' } });
    expect(calls.map(([name]) => name)).toEqual(['write', 'change', 'patch', 'within']);
    calls = [];
    await api.request('PUT', '/api/docs/a', { body: { text: 'y' } });
    expect(calls.map(([name]) => name)).toEqual(['write', 'change', 'within']);
  });

  it('of `after` get what the operation has done', async () => {
    await api.request('DELETE', '/api/docs?id[in]=b');
    await api.request('DELETE', '/api/docs/a');
    expect(calls.filter(([name]) => name === 'after')).toEqual([
      ['after', ['b']],
      ['after', expect.objectContaining({ id: 'a' })],
    ]);
  });
});

describe('hooks of `within`', () => {
  const within = () => calls.filter(([name]) => name === 'within').map(([, ...texts]) => texts);

  it('run for each record of a patchMany', async () => {
    const { body } = await api.request('PATCH', '/api/docs?id[in]=a,b', { body: { text: 'x' } });
    expect(body.data).toEqual({ matched: 2, modified: 2 });
    expect(within().sort()).toEqual([
      ['a', 'x'],
      ['b', 'x'],
    ]);
    expect(await entries()).toBe(2);
  });

  it('run for each record of a deleteMany', async () => {
    await api.request('DELETE', '/api/docs?id[in]=a,b');
    expect(within().sort()).toEqual([
      ['a', null],
      ['b', null],
    ]);
  });

  it('that throw take back a write to many', async () => {
    const answer = await api.request('PATCH', '/api/docs?id[in]=a,b', { body: { text: 'refused' } });
    expect([answer.status, await entries(), await docs().countDocuments({ text: 'refused' })]).toEqual([403, 0, 0]);
  });

  it('of a write to many are given 16 MiB of records, and more are 422', async () => {
    const big = 'x'.repeat(6_000_000);
    await docs().insertMany(['c', 'd', 'e'].map((_id) => ({ _id, text: _id, big, tagIds: [], revision: 0 })));
    for (const method of ['PATCH', 'DELETE']) {
      const answer = await api.request(method, '/api/docs?id[in]=c,d,e', method === 'PATCH' ? { body: { text: 'x' } } : {});
      expect([answer.status, answer.body.code, answer.body.detail]).toEqual([422, 'too_many_matches', expect.stringContaining('16 MiB')]);
    }
    expect([await entries(), await docs().countDocuments({ text: 'x' })]).toEqual([0, 0]);
  });

  it('of a custom operation run once, after its handler, with the record that it has saved', async () => {
    const answer = await api.request('POST', '/api/docs/a/rename', { body: { text: 'x' } });
    expect([answer.status, answer.body.data.text]).toEqual([200, 'x']);
    expect(within()).toEqual([['a', 'x']]);
    expect(await entries()).toBe(1);
  });

  it('of a custom operation that throw take back what it has saved', async () => {
    const answer = await api.request('POST', '/api/docs/a/rename', { body: { text: 'refused' } });
    expect([answer.status, (await docs().findOne({ _id: 'a' }))?.text, await entries()]).toEqual([403, 'a', 0]);
  });

  it('of a custom operation run again with its handler, if the transaction is lost: nothing of the lost attempt is left', async () => {
    losses = 2;
    const answer = await api.request('POST', '/api/docs/a/rename', { body: { text: 'x' } });
    expect([answer.status, answer.body.data]).toEqual([200, { id: 'a', text: 'x', tagIds: [], revision: 1 }]);
    expect(within()).toEqual(Array(3).fill(['a', 'x'])); // each attempt has loaded the record as it is stored
    expect([await entries(), (await docs().findOne({ _id: 'a' }))?.revision]).toEqual([1, 1]);
    losses = 1;
    expect((await api.request('POST', '/api/docs/store')).status).toBe(204);
    expect(await entries()).toBe(3); // what the handler and the hook have stored, once
  });

  it('of a custom operation that has saved no record get null', async () => {
    expect((await api.request('POST', '/api/docs/store')).status).toBe(204);
    expect([within(), await entries()]).toEqual([[[null, null]], 2]);
  });

  it('of a custom operation run in a batch', async () => {
    const operations = [
      { method: 'POST', path: '/docs/a/rename', body: { text: 'x' } },
      { method: 'POST', path: '/docs/b/rename', body: { text: 'refused' } },
    ];
    const answer = await api.request('POST', '/api/batch', { body: { operations } });
    expect([answer.status, await entries(), await docs().countDocuments({ text: 'x' })]).toEqual([403, 0, 0]);
    expect(within()).toEqual([
      ['a', 'x'],
      ['b', 'refused'],
    ]);
  });

  it.each<[what: string, method: string, path: string, body?: object]>([
    ['an empty patch', 'PATCH', '/linked/a', {}],
    ['a patch with the stored value', 'PATCH', '/plain/a', { text: 'a' }],
    ['a put with the stored values', 'PUT', '/plain/a', { text: 'a' }],
    ['a write to many with the stored value', 'PATCH', '/plain?id[in]=a', { text: 'a' }],
    ['a link that is not there to be removed', 'DELETE', '/linked/a/tags/red'],
    ['a save without changes', 'POST', '/docs/a/touch'],
  ])('do not run where nothing is written: %s', async (...[, method, path, body]) => {
    const answer = await api.request(method, `/api${path}`, body ? { body } : {});
    expect(answer.status).toBeLessThan(300);
    expect([within(), await entries()]).toEqual([[], 0]);
  });

  it('do not run for an empty patch, and those of `after` do', async () => {
    await api.request('PATCH', '/api/linked/a', { body: {} });
    expect(calls.map(([name]) => name)).toEqual(['after']);
  });
});

describe('a custom operation of a group', () => {
  const heard: unknown[][] = [];
  const hear =
    (name: string): Any =>
    (...[, draft]: unknown[]) =>
      void heard.push([name, draft]);
  const grouped = useApi(database, (shop) => [
    shop.resource({
      model: Doc,
      ops: ['list', 'patch', 'delete'],
      guardsFor: { change: [(ctx) => ctx.get('x-closed') !== 'change'], remove: [(ctx) => ctx.get('x-closed') !== 'remove'] },
      before: { write: [hear('write')], change: [hear('change')], erase: [hear('erase')] },
      within: { change: [hear('within')] },
      after: { change: [hear('after')] },
      operations: {
        rename: { ...rename, group: 'change' },
        erase: { group: 'remove', handler: async (ctx: Any) => void (await ctx.load()) },
        other: { handler: () => undefined },
        tag: { group: 'change', handler: async (ctx: Any) => void heard.push(['handler', (await ctx.load()).text]) },
      },
    }),
    shop.resource({ model: Tag }),
  ]);
  beforeEach(() => {
    heard.length = 0;
  });

  it.each([
    ['rename', 'change', 403],
    ['erase', 'remove', 403],
    ['erase', 'change', 204],
    ['other', 'change', 204],
  ])('has the guards of its group and no others: %s, closed %s', async (name, group, status) => {
    const sent = { headers: { 'x-closed': group }, ...(name === 'rename' && { body: { text: 'x' } }) };
    expect((await grouped.request('POST', `/api/docs/a/${name}`, sent)).status).toBe(status);
  });

  it('runs the hooks of its groups, wider ones first: those of `before` without a draft, ahead of its handler', async () => {
    await grouped.request('POST', '/api/docs/a/tag');
    expect(heard.map(([name]) => name)).toEqual(['write', 'change', 'handler', 'within', 'after']);
    expect(heard.slice(0, 2).map(([, draft]) => draft)).toEqual([undefined, undefined]);
    heard.length = 0;
    await grouped.request('POST', '/api/docs/a/rename', { body: { text: 'x' } });
    expect(heard.map(([name]) => name)).toEqual(['write', 'change', 'within', 'after']);
  });

  it('runs the hooks of its own name after those of its groups', async () => {
    await grouped.request('POST', '/api/docs/a/erase');
    expect(heard.map(([name]) => name)).toEqual(['write', 'erase']);
  });

  it('tells hooks of `within` what the handler has saved, and not what a hook before it has', async () => {
    const saved: unknown[] = [];
    const shop = service();
    const own = shop.api({
      db: database.db,
      resources: [
        shop.resource({
          model: Doc,
          operations: { bump: { handler: () => undefined } },
          before: { bump: [async (ctx: Any) => void (await ctx.save(Object.assign(await ctx.load(), { text: 'x' })))] },
          within: { bump: [(_ctx: Any, { before, after: is }: Any) => void saved.push(before, is)] },
        } as Any),
        shop.resource({ model: Tag }),
      ],
    });
    expect((await own.fetch(new Request('http://shop/docs/a/bump', { method: 'POST' }))).status).toBe(204);
    expect(saved).toEqual([null, null]);
    await own.close();
  });

  it('runs hooks of `before` for its name alone if it says no group', async () => {
    await grouped.request('POST', '/api/docs/a/other');
    expect(heard).toEqual([]);
  });
});

describe('hooks of a group', () => {
  const Project = defineModel('Project', { collection: 'projects', fields: { id, deletedAt: t.deletedAt() } });
  const Task = defineModel('Task', {
    collection: 'tasks',
    fields: {
      id,
      project: t.nullable(t.ref('Project', { id: t.string(), onDelete: 'cascade' })),
      other: t.nullable(t.ref('Project', { id: t.string(), onDelete: 'nullify' })),
      deletedAt: t.deletedAt(),
    },
  });
  const heard: string[] = [];
  const hear = (name: string): Any => [() => void heard.push(name)];
  const cascading = useApi(database, (shop) => [
    shop.resource({ model: Project, ops: ['get', 'delete', 'restore'] }),
    shop.resource({
      model: Task,
      ops: ['list', 'put', 'deleteMany'],
      within: { remove: hear('within.remove'), change: hear('within.change') },
      after: { remove: hear('after.remove'), change: hear('after.change') },
    }),
  ]);

  it('run for the records that a cascade touches, whichever of its operations the resource serves', async () => {
    await database.db.collection<{ _id: string }>('projects').insertMany([{ _id: 'p' }, { _id: 'q' }]);
    const tasks = database.db.collection<{ _id: string; project?: string; other?: string }>('tasks');
    await tasks.insertMany([
      { _id: 'a', project: 'p' },
      { _id: 'b', other: 'q' },
    ]);
    const said = async (method: string, path: string) => {
      heard.length = 0;
      expect((await cascading.request(method, `/api/projects/${path}`)).status).toBeLessThan(300);
      return [...heard];
    };
    expect(await said('DELETE', 'p')).toEqual(['within.remove', 'after.remove']);
    expect(await said('POST', 'p/restore')).toEqual(['within.change', 'after.change']);
    expect(await said('DELETE', 'q')).toEqual(['within.change', 'after.change']);
  });
});

describe('an operation that lacks what another one of its group has', () => {
  let told: string[] = [];
  beforeEach(() => {
    told = [];
    jest.spyOn(process, 'emitWarning').mockImplementation((message, options) => {
      if ((options as { code: string }).code === 'UNCOVERED_OPERATION') told.push(String(message));
    });
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  const all = ['list', 'get', 'create', 'patch', 'put', 'delete', 'patchMany', 'deleteMany'];
  const compile = (options: object) => {
    const shop = service();
    shop.api({ db: database.db, resources: [shop.resource({ model: Plain, path: 'docs', ops: all, ...options } as never)] });
    return told;
  };
  const one = () => true;
  const another = () => false;
  const erase = { handler: () => undefined };
  const total = { method: 'GET', handler: () => 1 };

  it.each<[what: string, options: object, told: RegExp[]]>([
    [
      'a guard',
      { guardsFor: { patch: [one] } },
      [
        /^Resource `docs` has a guard for `patch` that does not run for `put`, `patchMany`\. To cover all operations of the group, name it in `guardsFor`: `change: \[…\]`\. To exempt these, write `put: \[\]`, `patchMany: \[\]` in `guardsFor`\.$/,
      ],
    ],
    [
      'a hook of `before`',
      { before: { put: [one], patch: [one] } },
      [/a hook in `before` for `patch`, `put` that does not run for `patchMany`.* write `patchMany: \[\]` in `before`\.$/],
    ],
    ['a hook of `within`', { within: { delete: [one] } }, [/a hook in `within` for `delete` .* `deleteMany`\. .* `remove: \[…\]`/]],
    ['a guard of a read', { guardsFor: { list: [one] } }, [/for `list` that does not run for `get`.* `read: \[…\]`/]],
    ['a second guard', { guardsFor: { change: [one], patch: [another] } }, [/for `patch` that does not run for `put`, `patchMany`/]],
    [
      'custom operations that say no group',
      { before: { change: [one] }, operations: { erase, wipe: erase, total } },
      [
        /^Resource `docs` has a hook in `before` for `change` that does not run for `erase`, `wipe`, which say no `group`\. To cover these, write `group: 'change'` in the definition of the operation\. To exempt these, write `erase: \[\]`, `wipe: \[\]` in `before`\.$/,
      ],
    ],
    [
      'a custom operation that reads and says no group',
      { guardsFor: { read: [one], write: [one] }, operations: { total } },
      [/a guard for `read` that does not run for `total`, which says no `group`.* write `group: 'read'` /],
    ],
    [
      'a custom operation of a group of which another one has a guard',
      { guardsFor: { patch: [one], put: [], patchMany: [] }, operations: { erase: { ...erase, group: 'change' } } },
      [/a guard for `patch` that does not run for `erase`\. .* `change: \[…\]`/],
    ],
  ])('is told at start: %s', (_what, options, messages) => {
    expect(compile(options)).toEqual(messages.map((message) => expect.stringMatching(message)));
  });

  it.each(['read', 'change', 'remove', 'write', 'query'])('gives words that can be obeyed to an operation called `%s`', (name) => {
    const guardsFor = { [name === 'change' ? 'remove' : 'change']: [one] };
    expect(() => compile({ guardsFor: { ...guardsFor, [name]: [] }, operations: { [name]: erase } })).toThrow(
      `\`guardsFor.${name}\` of resource \`docs\` can mean a custom operation or`,
    );
    const words = `To exempt this one, give \`${name}\` another name, and write that with \`[]\` in \`guardsFor\`, where \`${name}\` can mean something else.`;
    expect(compile({ guardsFor, operations: { [name]: erase } })).toEqual([expect.stringContaining(words)]);
    told = [];
    expect(compile({ guardsFor: { ...guardsFor, erase: [] }, operations: { erase: { ...erase, path: `/:id/${name}` } } })).toEqual([]);
  });

  it('tells operations that can have a key of their own from those that need another name', () => {
    expect(compile({ within: { change: [one] }, operations: { wipe: erase, remove: erase, query: erase } })).toEqual([
      expect.stringMatching(/To exempt these, write `wipe: \[\]`, `query: \[\]` in `within`; give `remove` another name, and write that/),
    ]);
  });

  it.each<[what: string, options: object]>([
    ['a group that covers them', { guardsFor: { change: [one], remove: [one] }, before: { write: [one] } }],
    ['a guard of all operations', { guards: [one], guardsFor: { patch: [one] } }],
    ['keys of their own', { guardsFor: { patch: [one], put: [another], patchMany: [another] } }],
    ['empty keys', { guardsFor: { patch: [one], put: [], patchMany: [] } }],
    ['hooks after it', { after: { patch: [one] } }],
    ['custom operations of a group', { before: { change: [one] }, operations: { erase: { ...erase, group: 'change' } } }],
    ['an exempted custom operation', { guardsFor: { write: [one], erase: [] }, operations: { erase } }],
    [
      'a guard for a custom operation alone',
      { guardsFor: { erase: [one] }, operations: { erase: { ...erase, group: 'change' }, wipe: erase } },
    ],
    ['guards of the forms of a read', { guardsFor: { query: [one], aggregate: [another] }, aggregate: {} }],
    ['a function for the operation alone in its group', { ops: ['list', 'create', 'patch'], guardsFor: { patch: [one], list: [one] } }],
  ])('is fine with %s', (_what, options) => {
    expect(compile(options)).toEqual([]);
  });

  it('is closed by its group, whatever its own key says', async () => {
    const shop = service();
    const closed = shop.api({
      db: database.db,
      resources: [shop.resource({ model: Plain, ops: ['put'], guardsFor: { change: [another], put: [] } })],
    });
    const request = new Request('http://in-process/docs/a', { method: 'PUT', body: '{}', headers: { 'content-type': 'application/json' } });
    expect((await closed.fetch(request)).status).toBe(403);
  });

  it.each<[what: string, options: object, message: RegExp]>([
    [
      'a group of which nothing is served',
      { ops: ['list', 'create'], guardsFor: { remove: [one] } },
      /`remove` is not an operation in `guardsFor`/,
    ],
    ['a group that is misspelt', { guardsFor: { chang: [one] } }, /`chang` is not .*did you mean `change`/],
    ['a group that writes nothing', { before: { read: [one] } }, /`read` is not an operation in `before`/],
    [
      'a key that is a group and a custom operation',
      { operations: { remove: rename }, guardsFor: { remove: [one] } },
      /`guardsFor\.remove` of resource `docs` can mean a custom operation or a group/,
    ],
    [
      'a hook within a custom operation that reads',
      { operations: { total: { method: 'GET', handler: one } }, within: { total: [one] } },
      /`total` is not an operation in `within`/,
    ],
  ])('is a configuration error for %s', (_what, options, message) => {
    expect(() => compile(options)).toThrow(message);
  });
});
