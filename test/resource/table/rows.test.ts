import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { defineModel, service, t } from '../../../src/index.ts';
import { composeChain } from '../../../src/middleware/exchange/step.ts';
import type { CompiledResource } from '../../../src/resource/define/compiled-resource.ts';
import { operations } from '../../../src/resource/define/standard-operations.ts';
import { endpointsOf, rowOf, usualOf } from '../../../src/resource/table/row.ts';
import type { Any } from '../../support/any.ts';

const Tag = defineModel('Tag', { collection: 'tags', fields: { name: t.string(), notes: t.hasMany('Note', { via: 'tagIds' }) } });
const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    text: t.string({ policy: { filter: true } }),
    stock: t.counter({ default: 0 }),
    tagIds: t.array(t.ref('Tag', { as: 'tags' })),
    deletedAt: t.deletedAt(),
    revision: t.revision(),
  },
  history: { scopeFields: [] },
});
const shop = service();
const { resources } = shop.api({
  db: new MongoClient('mongodb://127.0.0.1:1').db('none'),
  resources: [
    shop.resource({
      model: Note,
      ops: operations,
      links: ['tags'],
      export: {},
      aggregate: {},
      live: true,
      history: true,
      operations: { send: { group: 'change', handler: () => undefined }, total: { method: 'GET', group: 'read', handler: () => 1 } },
    } as Any),
    shop.resource({ model: Tag, nested: ['notes'] }),
  ],
}).description;
const rows = resources.flatMap((resource) => resource.rows.map((row) => ({ ...row, resource })));

describe('the table of operations', () => {
  it('has a row for everything that a resource serves', () => {
    const names = (at: number) => [...new Set(resources[at]?.rows.map(({ name }) => name))];
    expect(names(0)).toEqual([
      ...operations,
      'send',
      'total',
      'aggregate',
      'stock',
      'tags.add',
      'tags.remove',
      'list.export',
      'list.export.query',
      'history',
      'get.at',
      'list.live',
      'get.live',
      'list.query',
    ]);
    expect(names(1)).toEqual(['list', 'get', 'create', 'patch', 'delete', 'notes.list', 'notes.create', 'notes.query', 'list.query']);
  });

  it('has one row for each request of an endpoint: all but one of its rows say which requests they answer', () => {
    for (const { rows } of resources)
      for (const endpoint of endpointsOf(rows)) expect(endpoint.rows.filter(({ when }) => !when)).toEqual([usualOf(endpoint)]);
  });

  it('has no two rows of one name at one method', () => {
    for (const { rows } of resources) {
      const places = rows.map(({ name, method }) => `${name} ${method}`);
      expect(new Set(places).size).toBe(places.length);
    }
  });

  it('has a limit of database time and a chain that answers for every row', () => {
    expect(rows.filter(({ maxTimeMS }) => maxTimeMS !== 10_000)).toEqual([]);
    expect(rows.filter(({ whole }) => whole().length === 0)).toEqual([]);
  });

  it('says which writes only add something, and which change nothing more when they are sent twice', () => {
    const where = (holds: (row: (typeof rows)[number]) => boolean) => [...new Set(rows.filter(holds).map(({ name }) => name))];
    expect(where(({ isAdditive }) => isAdditive)).toEqual(['create', 'restore', 'tags.add', 'notes.create']);
    expect(where(({ isIdempotent }) => isIdempotent)).toEqual(['put', 'delete', 'restore', 'tags.add', 'tags.remove']);
    expect(where(({ makesRecord }) => makesRecord)).toEqual(['create']);
  });

  it('lets every row ask the guards of operations that its resource, or the one that it leads to, can have', () => {
    const asked = rows.flatMap(({ name, asks }) => asks.map(({ resource, names }) => [name, resource.path, ...names]));
    expect(asked).toContainEqual(['get.at', 'notes', 'get', 'history']);
    expect(asked).toContainEqual(['history', 'notes', 'get', 'history']);
    expect(asked).toContainEqual(['list.export.query', 'notes', 'list', 'query', 'export']);
    expect(asked).toContainEqual(['notes.query', 'tags', 'get']);
    expect(asked).toContainEqual(['notes.query', 'notes', 'list', 'query']);
    expect(asked).toContainEqual(['tags.add', 'notes', 'patch']);
    expect(asked.filter(([, , ...names]) => names.length === 0)).toEqual([]);
  });
});

describe('rowOf', () => {
  const [resource] = resources as unknown as readonly [CompiledResource];
  const [first, second] = [() => true, () => true];
  const hooks = { before: [jest.fn()], within: [jest.fn()], after: [jest.fn()] };
  const giving: CompiledResource = {
    ...resource,
    guardsOf: (...names) => (names.includes('send') ? [first] : names.includes('list') ? [second] : []),
    beforeOf: (name) => (name === 'patch' ? hooks.before : []),
    withinOf: (name) => (name === 'patch' ? hooks.within : []),
    hooksOf: (name) => (name === 'patch' ? hooks.after : []),
  };
  const own = async () => {};
  const place = { name: 'send', method: 'POST', path: '/:id/send', subject: { kind: 'variant' } } as const;

  it('puts the guards that a row asks before its chain, in their order', async () => {
    const asked: unknown[] = [];
    const telling = { ...giving, guardsOf: (...names: string[]) => [() => asked.push(...names) > 0] };
    const asks = ['send', 'list'].map((name) => ({ resource: telling, names: [name] }));
    const { chain } = rowOf(giving, { ...place, asks, chain: () => [own] });
    expect(chain().map(({ name }) => name)).toEqual(['guards', 'guards', 'own']);
    await composeChain(chain())({} as never, async () => {});
    expect(asked).toEqual(['send', 'list']);
  });

  it('has no middleware for guards that nothing is given for', () => {
    const { chain } = rowOf(giving, { ...place, asks: [{ resource: giving, names: ['get'] }], chain: () => [own] });
    expect(chain()).toEqual([own]);
  });

  it('gives the chain of a row the hooks that it runs, and no others', () => {
    const chain = jest.fn(() => []);
    rowOf(giving, { ...place, chain }).chain();
    rowOf(giving, { ...place, runs: { resource: giving, names: ['patch'] }, chain }).chain();
    expect(chain.mock.calls).toEqual([[{ before: [], within: [], after: [] }], [hooks]]);
  });

  it('alone reads the tables of functions of a resource: no chain can ask or run anything else', () => {
    const folder = join(import.meta.dirname, '../../../src/resource/table');
    const reading = readdirSync(folder).filter((file) =>
      /\b(?:guards|before|within|hooks)Of\b/.test(readFileSync(join(folder, file), 'utf8')),
    );
    expect(reading).toEqual(['row.ts']);
  });
});
