import { createShop } from '../../examples/admin/api.ts';
import { createBookings } from '../../examples/answering-with-errors/api.ts';
import { createBoard } from '../../examples/board/api.ts';
import { stringifyJson } from '../../src/http/json.ts';
import { type Api, type OpenapiDocument, openapiDocument } from '../../src/index.ts';
import { buildDocument } from '../../src/openapi/build-document.ts';
import { apis } from '../openapi/documents.ts';
import { db } from '../openapi/fixtures.ts';
import { expectGolden } from '../support/golden.ts';
import { serveMatrix } from '../support/matrix/serve-matrix.ts';

const all: readonly (readonly [string, Api<never>])[] = [
  ...apis,
  ['admin', createShop(db)],
  ['answering with errors', createBookings(db)],
  ['board', createBoard(db)],
  ['every row', serveMatrix(db).api as Api<never>],
];

/** What stands in one line. */
const width = 800;

/**
 * The lines of a document, in its order. Each begins with its place, so that a line that differs says which operation
 * or schema it belongs to.
 */
function* linesOf(part: unknown, place: string): Generator<string> {
  const json = stringifyJson(part);
  if (json.length <= width || typeof part !== 'object' || part === null) yield `${place}: ${json}`;
  else for (const [key, value] of Object.entries(part)) yield* linesOf(value, `${place} ${key}`);
}

function linesOfDocument({ paths, components, ...rest }: OpenapiDocument): string[] {
  const ofPaths = Object.entries(paths).flatMap(([path, item]) => [...linesOf(item, path)]);
  const ofComponents = Object.entries(components).flatMap(([kind, parts]) => [...linesOf(parts, kind)]);
  return [...linesOf(rest, 'document'), ...ofPaths, ...ofComponents];
}

/** The lines that only one of two documents has. */
function differenceOf(before: readonly string[], after: readonly string[]): string[] {
  const [old, now] = [new Set(before), new Set(after)];
  const missing = before.filter((line) => !now.has(line)).map((line) => `- ${line}`);
  return [...missing, ...after.filter((line) => !old.has(line)).map((line) => `+ ${line}`)];
}

it.each(all)('the document of %s is what it was, for callers of all rules and for those of none', async (name, api) => {
  const widest = linesOfDocument(openapiDocument(api));
  const narrowest = linesOfDocument(buildDocument(api.description.seenBy(new Set())));
  const lines = [...widest, '', '# For callers for whom no rule holds', ...differenceOf(widest, narrowest)];
  await expectGolden(`openapi/${name.replaceAll(' ', '-')}.txt`, lines.join('\n'));
});
