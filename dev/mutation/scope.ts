import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** The pure code whose errors are errors of security or of data. By names, so that a file may move within its room. */
const scope: readonly RegExp[] = [
  /^src\/((http|filter)\/.*|hints)\.ts$/,
  /^src\/features\/.*\bidempotency-key\.ts$/,
  /^src\/model\/.*\b(access|policy|plan-changes|private-fields|query-fields|select-fields|write-bytes|as-id|same-value|field-rules|view-of)\.ts$/,
  /^src\/model\/.*\b(compare-stored|sort-value|sought-text)\.ts$/,
  /^src\/mongo\/.*\b(cursor|position)\.ts$/,
  /^src\/mongo\/.*\b(filter-of|is-within|conjuncts-of|read-scope)\.ts$/,
  /^src\/mongo\/.*\b(broken-conditions|precondition|update-pipeline)\.ts$/,
  /^src\/mongo\/.*\b(parse-conditions|parse-list-query|parse-paging|compile-filter)\.ts$/,
  /^src\/mongo\/through\/expression\.ts$/,
  /^src\/features\/aggregate\/mongo\/(explain|parse-aggregate|plan-groups|write-groups)\.ts$/,
  /^src\/mongo\/driver\/outcome\.ts$/,
  /^src\/mongo\/.*\/(check-references|compile-edges|plan-cascade|references)\.ts$/,
];

/** Tests that judge a file which they neither import nor are called after: they go through what uses it. */
export const furtherTests: Readonly<Record<string, readonly string[]>> = {
  'compare-stored': ['within-scope', 'broken-conditions'],
  'field-rules': ['view-of', 'policy'],
  'parse-aggregate': ['parse-aggregate'], // by way of `sales.ts`
  'parse-conditions': ['parse-list-query'],
  'parse-list-query': ['parse-paging'],
  expression: ['compile-filter'],
  'plan-changes': ['compile-writes', 'plan-checks', 'plan-replacement'],
  'read-scope': ['within-scope'],
  'sort-value': ['cursor', 'position', 'within-scope'],
  tokens: ['parse-filter'],
};

/** A file to mutate, and the tests that must notice. */
export interface Subject {
  readonly file: string;
  readonly tests: readonly string[];
}

/** The files of the scope whose paths contain one of the texts, or all of them, in order. */
export async function findSubjects(root: string, texts: readonly string[]): Promise<Subject[]> {
  const files = (await filesIn(root, 'src')).filter((file) => scope.some((one) => one.test(file)));
  const tests = await readTests(root);
  const wanted = texts.length === 0 ? files : files.filter((file) => texts.some((text) => file.includes(text)));
  return wanted.map((file) => ({ file, tests: tests.filter((test) => judges(test, file)).map(({ path }) => path) }));
}

interface TestFile {
  readonly path: string;
  readonly text: string;
}

/**
 * The tests that need no database: one would be asked anew for each mutant. Fuzzing is left out, as it takes longer
 * than all others together.
 */
async function readTests(root: string): Promise<TestFile[]> {
  const paths = (await filesIn(root, 'test')).filter((path) =>
    /^test\/(hints|(http|filter|model|mongo)\/.*)(?<!\.slow)\.test\.ts$/.test(path),
  );
  const tests = await Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(root, path), 'utf8') })));
  return tests.filter(({ text }) => !text.includes('useDatabase'));
}

function judges({ path, text }: TestFile, file: string): boolean {
  const [name, test] = [basename(file, '.ts'), basename(path, '.test.ts')];
  const importsIt = text.split('\n').some((line) => line.endsWith(`/${file}';`) && !line.startsWith('import type '));
  return importsIt || (furtherTests[name]?.includes(test) ?? false) || (test === name && roomOf(path) === roomOf(file));
}

/** `http` of `src/http/json.ts` and of `test/http/json.test.ts`. */
function roomOf(path: string): string | undefined {
  return path.split('/')[1]?.replace(/(\.test)?\.ts$/, '');
}

async function filesIn(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  return files.map((file) => file.replaceAll('\\', '/')).sort();
}
