import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'src/middleware');

interface Example {
  readonly file: string;
  readonly code: string;
}

/** Every `@example` of the doc comments of a file: it ends the comment that it stands in. */
function examplesOf(file: string): Example[] {
  const found = readFileSync(join(folder, file), 'utf8').matchAll(/^ *\* @example\n((?: *\*(?!\/).*\n)+) *\*\//gm);
  return [...found].map(([, lines = '']) => ({ file, code: lines.replaceAll(/^ *\* ?/gm, '') }));
}

/** What examples name and do not declare. */
const before = `
import Router from '@koa/router';
import type Koa from 'koa';
import type { Collection, Db, Document } from 'mongodb';
import * as library from 'koa-mongo-resource';
import type { Context, ResourceMiddleware } from 'koa-mongo-resource';

const {
  %LIBRARY%
} = library;
const Customer = defineModel('Customer', { collection: 'customers', fields: { name: t.string() } });
const Order = defineModel('Order', {
  collection: 'orders',
  fields: { customer: t.ref('Customer'), owner: t.string(), total: t.int(), revision: t.revision() },
});
const Log = defineModel('Log', { collection: 'logs', fields: { by: t.string() } });
const SendOrder = t.object('SendOrder', { carrier: t.string() });
declare const app: Koa, router: Router, db: Db, ctx: Context;
declare const reports: Collection, pipeline: Document[];
declare const sessions: { get(token: string): { readonly name: string } | undefined }, settings: { readonly version: string };
declare const createOrder: ResourceMiddleware, removeOrder: ResourceMiddleware, sendReport: ResourceMiddleware;
declare const saveSettings: ResourceMiddleware, sendOrder: ResourceMiddleware & ((ctx: Context) => Promise<unknown>);
declare const bySessionCookie: (ctx: Koa.Context) => object | undefined;
declare const isSignedIn: (ctx: Context) => boolean, isAdmin: (ctx: Context) => boolean, notifyWarehouse: (ctx: Context) => Promise<void>;
declare const ownRows: (ctx: Context) => object, feeOf: (ctx: Context) => Promise<number>;
`;

/** The files of libraries and of `src/`, which are the same in each compilation. */
const sources = new Map<string, ts.SourceFile | undefined>();

/** The messages of TypeScript about code that stands in this folder, by line. */
function compile(code: string): string[] {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, root);
  const name = join(import.meta.dirname, 'examples-of-docs.ts');
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (file) => file === name || fileExists(file);
  host.readFile = (file) => (file === name ? code : readFile(file));
  host.getSourceFile = (file, target, ...rest) => {
    if (file === name) return ts.createSourceFile(file, code, target);
    if (!sources.has(file)) sources.set(file, getSourceFile(file, target, ...rest));
    return sources.get(file);
  };
  const program = ts.createProgram([name], options, host);
  const source = program.getSourceFile(name);
  return [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)].map(
    ({ messageText, start = 0 }) => `${code.slice(0, start).split('\n').length}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
  );
}

describe('the examples in the doc comments of the middlewares', () => {
  it('compile', async () => {
    const examples = readdirSync(folder)
      .filter((file) => file.endsWith('.ts'))
      .flatMap(examplesOf);
    expect(examples.length).toBeGreaterThan(30);
    const names = Object.keys(await import('../../src/index.ts')).filter((name) => /^[a-z]/.test(name));
    const blocks = examples.map(({ file, code }) => `async () => { // ${file}\n${code}};\n`);
    expect(compile(before.replace('%LIBRARY%', names.join(', ')) + blocks.join(''))).toEqual([]);
  });

  it('would be found wrong', () => {
    expect(compile('const text: string = 5;')).toEqual(["1: Type 'number' is not assignable to type 'string'."]);
  });
});
