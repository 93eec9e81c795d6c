import type { Db } from 'mongodb';
import { type Api, guards, jsonBody, service, t } from '../../../src/index.ts';
import { operations } from '../../../src/resource/define/standard-operations.ts';
import type { Any } from '../any.ts';
import { type Given, giveEverything, Line, ofService, type Parts } from './given.ts';
import { Item, Label, Note, Tag } from './models.ts';

/** An api with every kind of row, each with guards and hooks for every key that it may have. */
export interface Matrix {
  readonly api: Api;
  readonly line: Line;
  givenOf(path: string): Given;
}

const opsOfTags = ['list', 'get', 'create', 'patch', 'put', 'delete', 'patchMany'];

/** The guard in `use` of a custom operation. */
export const guardInUse = 'guard in use';

export interface MatrixOptions {
  /** Whether callers see all fields. Otherwise each request runs a chain that is made for what its caller may see. */
  readonly seesAll?: boolean;
  /** The scope of each resource, which is told the path of the resource and the context. @default no scopes */
  readonly scopeOf?: (path: string, ctx: Any) => unknown;
}

/** Serves an api with every kind of row. */
export function serveMatrix(db: Db, { seesAll = true, scopeOf }: MatrixOptions = {}): Matrix {
  const line = new Line();
  // What a resource refuses is refused of a service as well: see the resources below.
  const common = giveEverything(line, ofService, {
    ops: operations,
    refused: {
      before: ['write', 'change', 'patch'],
      within: [...opsOfTags, 'write', 'change', 'remove'],
      after: ['read', 'list'],
    },
  });
  const all = new Map<string, Given>([[ofService, common]]);
  const shop = service({ authenticate: () => 'ann', rules: { staff: () => seesAll }, ...(common as Any) });
  function resource(model: { readonly collection: string }, parts: Parts, others: object): Any {
    const path = model.collection;
    const given = giveEverything(line, path, parts);
    all.set(path, given);
    const { ops, operations: own } = parts;
    const scoped = scopeOf && { scope: (ctx: Any) => scopeOf(path, ctx) };
    return shop.resource({ model, ops, ...(own && { operations: own }), ...scoped, ...given, ...others } as Any);
  }
  const retext = async (ctx: Any) => ctx.save(Object.assign(await ctx.load(), { text: 'y' }));
  const custom: Record<string, Any> = {
    send: {
      group: 'change',
      use: [guards(line.note(guardInUse)), jsonBody({ schema: t.object('Send', { text: t.string() }) })],
      handler: retext,
    },
    erase: {
      group: 'remove',
      method: 'DELETE',
      path: '/:id/erased',
      handler: async (ctx: Any) => void (await ctx.store(Note).remove(ctx.params.id)),
    },
    mark: { group: 'write', method: 'PUT', handler: retext },
    loose: { handler: retext },
    total: { group: 'read', method: 'GET', handler: async (ctx: Any) => ({ text: (await ctx.load()).text }) },
    count: { method: 'GET', path: '/count', handler: async (ctx: Any) => ({ count: await ctx.store(Note).count({}) }) },
    // It has no handler: a middleware does the work.
    pass: { use: [(ctx: Any, next: () => Promise<void>) => retext(ctx).then(next)] },
  };
  const resources = [
    resource(
      Note,
      { ops: operations, operations: custom, counters: ['stock'], forms: ['query', 'live', 'history'] },
      { history: true, live: true },
    ),
    // Links refuse hooks before a patch, and whole lists those after the list.
    resource(Label, { ops: ['get', 'patch'], refused: { before: ['write', 'change', 'patch'] } }, { links: ['tags'] }),
    resource(
      Item,
      { ops: ['list', 'get', 'create'], forms: ['query', 'export', 'aggregate', 'live'], refused: { after: ['read', 'list'] } },
      { export: {}, aggregate: {}, live: true },
    ),
    // Without hooks in transactions, its writes are one command each.
    resource(
      Tag,
      {
        ops: opsOfTags,
        forms: ['query'],
        refused: { within: [...operations, 'write', 'change', 'remove'] },
      },
      { nested: ['notes'] },
    ),
  ];
  const api = shop.api({
    db,
    resources,
    batch: true,
    warnOnScan: false,
    idempotency: { principal: () => 'ann' },
    onError: () => undefined,
  } as Any);
  return { api, line, givenOf: (path) => all.get(path) as Given };
}
