import { join } from 'node:path';
import ts from 'typescript';
import * as library from '../../src/index.ts';
import { type Example, examplesOf, exportingFiles } from '../support/docs/examples.ts';
import { root } from '../support/docs/pages.ts';

/** What examples name and do not declare. */
const before = `
import http from 'node:http';
import { writeFile } from 'node:fs/promises';
import Router from '@koa/router';
import Koa from 'koa';
import mount from 'koa-mount';
import type { Collection, Db, Document as Bson, MongoClient, ObjectId } from 'mongodb';
import { z } from 'zod';
import {
  %LIBRARY%
} from 'koa-mongo-resource';
import type * as Types from 'koa-mongo-resource';
import { auditCollection } from '../../src/products/audit/audit-collection.ts';
import { stepRevision } from '../../src/products/mongoose/step-revision.ts';
import type { ${'%TYPES%'} } from 'koa-mongo-resource';

interface User { readonly name: string; readonly isAdmin?: boolean; }
declare const users: Map<string, User>;
const shop = service({ authenticate: (ctx) => users.get(ctx.get('authorization')) });
const Address = t.object('Address', { street: t.string() });
const Customer = defineModel('Customer', { collection: 'customers', fields: { name: t.string() } });
const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    customer: t.ref('Customer'), author: t.optional(t.ref('Author')), owner: t.string(), total: t.int(), revision: t.revision(), carrier: t.optional(t.string()),
    status: t.enum(['open', 'sent', 'expired'], { default: 'open' }), password: t.optional(t.string()), updatedBy: t.optional(t.string()),
    createdAt: t.createdAt(), comments: t.hasMany('Comment', { via: 'order' }),
  },
});
const Log = defineModel('Log', { collection: 'logs', fields: { by: t.string() } });
const Entry = defineModel('Entry', { collection: 'entries', fields: { order: t.objectId(), by: t.string() } });
const Project = defineModel('Project', { collection: 'projects', fields: { owner: t.string() } });
const Task = defineModel('Task', { collection: 'tasks', fields: { project: t.ref('Project') } });
const SendOrder = t.object('SendOrder', { carrier: t.string() });
declare const app: Koa, router: Router, db: Db, client: MongoClient, ctx: Types.Context, id: ObjectId, customer: ObjectId, lastYear: Date;
declare const token: string, api: Types.Api<User>, orders: Types.Resource<User>, rows: Types.NewDocument<typeof Order>[];
declare const orderStore: Types.Store<typeof Order>;
declare const remind: (order: object) => Promise<void>, hash: (text: string | undefined) => Promise<string>;
declare const countRequests: Types.ResourceMiddleware, ownProjects: (ctx: Types.Context) => object, ownTasks: (ctx: Types.Context) => object;
declare const schema: { plugin(plugin: typeof stepRevision, options: Parameters<typeof stepRevision>[1]): void };
declare const reports: Collection, pipeline: Bson[];
declare const sessions: { get(token: string): { readonly name: string } | undefined }, settings: { readonly version: string };
declare const createOrder: ResourceMiddleware, removeOrder: ResourceMiddleware, sendReport: ResourceMiddleware;
declare const saveSettings: ResourceMiddleware, sendOrder: ResourceMiddleware & ((ctx: Context) => Promise<unknown>);
declare const bySessionCookie: (ctx: Koa.Context) => object | undefined;
declare const isSignedIn: (ctx: Context) => boolean, isAdmin: (ctx: Context) => boolean, notifyWarehouse: (ctx: Context) => Promise<void>;
declare const freshToken: () => Promise<string>, show: (orders: readonly { readonly id: string }[]) => void, signIn: () => void;
interface List { data: { id: string }[]; page: { size: number; has_next: boolean } }
interface paths { '/api/orders': { get: { responses: { 200: { content: { 'application/json': List } } } } } }
declare const signedIn: (ctx: object) => boolean, ownRows: (ctx: Context) => object, feeOf: (ctx: Context) => Promise<number>;
`;

const types = [
  'ChangesDraft',
  'Check',
  'Context',
  'Create',
  'Document',
  'Handler',
  'NewDocument',
  'Patch',
  'Read',
  'RecordAccess',
  'ResourceMiddleware',
];

/** Where an example of an option stands, by the interface of the option. */
const places: Readonly<Record<string, (code: string) => string>> = {
  ResourceOptions: (code) => `shop.resource({ model: Order, ops: ['create', 'patch', 'delete', 'get', 'list'], ${code} });`,
  RelationOptions: (code) => `shop.resource({ model: Order, ${code} });`,
  ListOptions: (code) => `shop.resource({ model: Order, ${code} });`,
  OfDeleted: (code) => `shop.resource({ model: Order, ${code} });`,
  OperationParts: (code) => `shop.resource({ model: Order, operations: { send: { handler: () => undefined, ${code} } } });`,
  ApiOptions: (code) => `shop.api({ db, resources: [], ${code} });`,
  OfIdempotency: (code) => `shop.api({ db, resources: [], ${code} });`,
  DescriptionOptions: (code) => `shop.api({ db, resources: [], ${code} });`,
  ModelOptions: (code) =>
    `defineModel('M', { collection: 'm', fields: { owner: t.string(), number: t.string(), status: t.string(), createdAt: t.createdAt() }, ${code} });`,
  OfTexts: (code) =>
    `defineModel('M', { collection: 'm', fields: { owner: t.string(), number: t.string(), status: t.string() }, ${code} });`,
  FieldOptions: (code) => `t.string({ ${code} });`,
  StringOptions: (code) => `t.string({ ${code} });`,
  MapOptions: (code) => `t.map(t.int(), { ${code} });`,
};

function blockOf({ file, name, optionOf, code }: Example): string {
  const place = optionOf === undefined ? undefined : places[optionOf];
  const isOperation = name === 'CustomOperation';
  const placed = isOperation ? `shop.resource({ model: Order, operations: { ${code} } });` : (place?.(code.replace(/,?$/, '')) ?? code);
  const orders = ['src/store/store.ts', 'src/features/history/types.ts', 'src/features/upsert/types.ts'].includes(file)
    ? 'const orders = orderStore;'
    : '';
  const provider = file.startsWith('src/products/admin/') ? `const { dataProvider } = await import('../../${file}');` : '';
  const client = file.startsWith('src/products/client/') ? `const { live } = await import('../../${file}');` : '';
  return `async () => { // ${file}: ${name}\n${orders}${provider}${client}{\n${placed}\n}\n};\n`;
}

const name = join(import.meta.dirname, 'examples-of-docs.ts');

/** The files of libraries and of `src/`, which are the same in both programs. */
const sources = new Map<string, ts.SourceFile | undefined>();

/** A program of the sources and of one more file in this folder. */
function programOf(code: string): ts.Program {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root);
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists } = host;
  host.fileExists = (file) => file === name || fileExists(file);
  host.getSourceFile = (file, target, ...rest) => {
    if (file === name) return ts.createSourceFile(file, code, target);
    if (!sources.has(file)) sources.set(file, getSourceFile(file, target, ...rest));
    return sources.get(file);
  };
  return ts.createProgram([name, join(root, 'src/index.ts')], options, host);
}

/** The messages of TypeScript about the code, with the lines that they are about. */
function errorsIn(program: ts.Program): string[] {
  const source = program.getSourceFile(name) as ts.SourceFile;
  const lines = source.text.split('\n');
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(({ messageText, start = 0 }) => {
    const { line } = source.getLineAndCharacterOfPosition(start);
    const block = lines.slice(0, line).findLast((text) => text.startsWith('async () => { //')) ?? '';
    return `${block} ${lines[line]}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

const blocks = exportingFiles.flatMap(examplesOf).map(blockOf);
const values = Object.keys(library);
const program = programOf(before.replace('%LIBRARY%', values.join(', ')).replace('%TYPES%', types.join(', ')) + blocks.join(''));
const checker = program.getTypeChecker();
const moduleOf = (file: string) => checker.getSymbolAtLocation(program.getSourceFile(join(root, file)) as ts.SourceFile) as ts.Symbol;
/** What the entry points export; those of single middlewares export nothing else. */
const exported = ['src/index.ts', 'src/products/audit/audit-collection.ts', 'src/products/mongoose/step-revision.ts']
  .flatMap((file) => checker.getExportsOfModule(moduleOf(file)))
  .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
const builders = checker.getPropertiesOfType(checker.getTypeOfSymbol(exported.find((symbol) => symbol.name === 't') as ts.Symbol));
const tagsOf = (symbol: ts.Symbol) => symbol.getJsDocTags(checker).map((tag) => tag.name);
const isOwn = ({ declarations = [] }: ts.Symbol) => declarations.some((one) => one.getSourceFile().fileName.startsWith(join(root, 'src')));
const isDescribed = (symbol: ts.Symbol) =>
  symbol.getDocumentationComment(checker).length > 0 || symbol.getJsDocTags(checker).some((tag) => tag.name === 'internal');

describe('the doc comments of what the package exports', () => {
  it('have an example for each function, class and builder, and for each method of an api and a service', () => {
    const methods = exported
      .filter(({ name }) => ['Api', 'RecordAccess', 'Service'].includes(name))
      .flatMap((symbol) => [...(symbol.members?.values() ?? [])].filter(({ flags }) => flags & ts.SymbolFlags.Method));
    const found = [...exported.filter(({ flags }) => flags & ts.SymbolFlags.Value), ...builders, ...methods];
    expect(found.length).toBeGreaterThan(90);
    expect(found.filter((symbol) => !tagsOf(symbol).includes('example')).map((symbol) => symbol.name)).toEqual([]);
  });

  it('describe every type, and every option', () => {
    const options = exported.filter((symbol) => /Options$|^Policy$|^CustomOperation$/.test(symbol.name));
    const members = options.flatMap((symbol) => checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol)));
    expect(members.length).toBeGreaterThan(120);
    expect([...exported, ...members].filter((symbol) => isOwn(symbol) && !isDescribed(symbol)).map((symbol) => symbol.name)).toEqual([]);
  });

  it('have no word that editors would take for a tag, and so leave out with what follows it', () => {
    const members = [...exported, ...builders].flatMap((symbol) => [symbol, ...(symbol.members?.values() ?? [])]).filter(isOwn);
    expect(new Set(members.flatMap(tagsOf))).toEqual(new Set(['example', 'default', 'internal', 'returns']));
  });
});

describe('the examples in them', () => {
  it('compile', () => {
    expect(blocks.length).toBeGreaterThan(110);
    expect(errorsIn(program)).toEqual([]);
  });

  it('would be found wrong', () => {
    const wrong = programOf('const text: string = 5;');
    expect(errorsIn(wrong)).toEqual([expect.stringContaining("Type 'number' is not assignable to type 'string'.")]);
  });
});
