import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { app } from './schemas-app.ts';
import { Stranger } from './stranger.ts';

let stranger: Stranger;
let service: ts.LanguageService;
const path = () => join(stranger.folder, 'app.ts');
beforeAll(async () => {
  stranger = await Stranger.install({
    dependencies: { koa: '^3.3.0', mongodb: '^7.0.0', '@types/node': '^20.19.0', zod: '^4.6.7' },
    files: { 'app.ts': app },
  });
  const options: ts.CompilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    declaration: true,
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.NodeNext,
    types: ['node'],
  };
  service = ts.createLanguageService({
    getScriptFileNames: () => [path()],
    getScriptVersion: () => '1',
    getScriptSnapshot: (file) => (ts.sys.fileExists(file) ? ts.ScriptSnapshot.fromString(readFileSync(file, 'utf8')) : undefined),
    getCurrentDirectory: () => stranger.folder,
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    fileExists: ts.sys.fileExists,
    readFile: ts.sys.readFile,
    directoryExists: ts.sys.directoryExists,
    getDirectories: ts.sys.getDirectories,
  });
});
afterAll(() => stranger.remove());

/** What an editor shows where the last word of a text stands. */
function hover(text: string): { display: string; documentation: string; tags: Record<string, string> } {
  const at = app.indexOf(text) + text.length - 1;
  const info = service.getQuickInfoAtPosition(path(), at);
  return {
    display: ts.displayPartsToString(info?.displayParts).replaceAll(/\s+/g, ' '),
    documentation: ts.displayPartsToString(info?.documentation),
    tags: Object.fromEntries((info?.tags ?? []).map(({ name, text: parts }) => [name, ts.displayPartsToString(parts)])),
  };
}

describe('an editor, with the declarations of the package', () => {
  it('finds nothing wrong in a strict project that has JSON Schemas and Zod', () => {
    const program = service.getProgram() as ts.Program;
    const files = program.getSourceFiles().filter(({ fileName }) => fileName === path() || fileName.includes('/koa-mongo-resource/'));
    expect(files.length).toBeGreaterThan(100);
    const found = files.flatMap((file) => [...program.getSemanticDiagnostics(file), ...program.getDeclarationDiagnostics(file)]);
    expect(found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))).toEqual([]);
  });

  it.each([
    ['a builder', 't.string', 'A string of well-formed Unicode', 't.string({'],
    ['a builder with a schema of Zod', 't.from', 'A field that another schema describes', 't.from('],
    ['a wrapper', 't.nullable', 'A field that may be null', 't.nullable('],
    ['a function', '= defineModel', 'Describes the records of a collection', 'defineModel('],
    ['a method', 'shop.resource', 'Describes a resource', 'shop.resource('],
    ['the method that makes an api', 'shop.api', 'Compiles resources into an api', 'shop.api('],
    ['a middleware', '[update', 'Applies `ctx.changes`', 'update(Order'],
    ['a middleware of an entry point of its own', ', requestTimeout', '', 'requestTimeout('],
    ['a function with overloads, for JSON Schema', 'use: [jsonBody', "Reads the request's body", 'jsonBody({'],
    ['a method of the context', 'ctx.load', 'Reads the record of `:id`', 'load()'],
  ])('shows the description and an example of %s', (_what, text, description, example) => {
    const { documentation, tags } = hover(text);
    expect(documentation).toContain(description);
    expect(documentation.length).toBeGreaterThan(20);
    expect(tags.example).toContain(example);
  });

  it.each([
    ['of a builder', '{ immutable', 'Whether only a create may set the field', 'false'],
    ['with a bound', ', minLength', 'The shortest text', 'none'],
    ['of a resource', 'preconditionRequired', 'Whether a write to one record', 'false'],
    ['of a service', 'authenticate', 'Returns the principal of a request', 'every request is anonymous'],
  ])('shows the description and the default of an option %s', (_what, text, description, value) => {
    const { documentation, tags } = hover(text);
    expect(documentation).toContain(description);
    expect(tags.default).toContain(value);
  });

  it('shows the types of records as plain objects', () => {
    expect(hover('type OrderDocument').display).toBe(
      'type OrderDocument = { id: ObjectId; number: string; mail: string; size: { w: number; h?: number; }; shipTo: { city: string; zip?: string; } | null; status: "open" | "sent"; }',
    );
    expect(hover('type OrderCreate').display).toBe(
      'type OrderCreate = { readonly number: string; readonly mail: string; readonly size: { w: number; h?: number; }; readonly shipTo?: { readonly city: string; readonly zip?: string; } | null; readonly status?: "open" | "sent"; }',
    );
    expect(hover('type OrderRead').display).toContain('readonly shipTo: { readonly city: string; readonly zip?: string; } | null;');
    expect(hover('const sent').display).toBe('const sent: { by: "post" | "bike"; days: number; }');
    expect(hover('const order').display).not.toContain('extends');
  });
});
