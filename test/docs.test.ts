import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findSubjects, furtherTests } from '../dev/mutation/scope.ts';
import { failures } from './faults/parts/failures.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const testFiles = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((path) => `test/${path.replaceAll('\\', '/')}`)
  .filter((path) => path.endsWith('.test.ts'));
const scripts = Object.keys(JSON.parse(read('package.json')).scripts);

const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((path) => `docs/${path.replaceAll('\\', '/')}`);
const pages = [...inDocs, ...readdirSync(root)].filter((path) => path.endsWith('.md'));

/** As GitHub makes them of headings, and those that a page sets itself. */
function anchorsOf(path: string): string[] {
  const page = read(path);
  const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => text.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, ''));
  return [...headings.map((text) => text.replaceAll(' ', '-')), ...[...page.matchAll(/<a id="([^"]+)"/g)].map(([, id = '']) => id)];
}

describe.each(pages)('%s', (path) => {
  const ofCreatedApp = path === 'docs/start/create.md';
  const text = read(path).replace(/```[\s\S]*?```/g, '');

  it('has links that lead somewhere', () => {
    const dead = [...text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].filter(([, to = '']) => {
      const [file = '', anchor] = to.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      return !existsSync(join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    });
    expect(dead.map(([, to]) => to)).toEqual([]);
  });

  it('names files that there are', () => {
    const named = [...text.matchAll(/`((?:src|test|dev|examples|docs|bench)\/[\w./-]+)`/g)].map(([, file = '']) => file);
    const inRooms = [...text.matchAll(/`((?:api|middleware|model|mongo|resource|openapi|http)\/[\w./-]+\.ts)`/g)].map(
      ([, file]) => `src/${file}`,
    );
    const isThere = (file: string) => existsSync(join(root, file)) || (ofCreatedApp && existsSync(join(root, 'create/template', file)));
    expect([...named, ...inRooms].filter((file) => !isThere(file))).toEqual([]);
  });
});

describe('docs/about/reliability.md', () => {
  const page = read('docs/about/reliability.md');
  const inCode = [...new Set([...page.matchAll(/`([^`\n]+)`/g)].map(([, text = '']) => text))];
  const rows = page.split('\n').filter((line) => /^\| (?!Promise|Figure).* \|$/.test(line));

  it.each(inCode.filter((text) => text.startsWith('test/') && text.endsWith('.ts')))('names tests that there are: %s', (path) => {
    const pattern = new RegExp(`^${path.replaceAll('.', '\\.').replace('*', '.*')}$`);
    expect(testFiles.filter((file) => pattern.test(file))).not.toEqual([]);
  });

  /** The judge is the tests' own. */
  const suites = testFiles.filter((path) => path.startsWith('test/faults/') && !path.endsWith('judge.test.ts'));
  it.each(suites)('names %s', (path) => {
    expect(page).toContain(`\`${path.slice('test/faults/'.length, -'.test.ts'.length)}`);
  });

  it.each(inCode.filter((text) => /^(?:\w+=\d+ )?(?:npm|npx) /.test(text)))('names a command that runs something: %s', (command) => {
    const [, program = '', rest = ''] = /(npm run|npx jest) (.*)$/.exec(command) ?? [];
    const [first = '', ...words] = rest.split(' ');
    if (program === 'npm run') expect(scripts).toContain(first);
    const patterns = program === 'npm run' ? words : [first];
    for (const pattern of patterns) expect([pattern, testFiles.some((path) => path.includes(pattern))]).toEqual([pattern, true]);
  });

  it('has a test for each promise, and a command for each figure', () => {
    const shown = rows.filter((row) => row.split(' | ').length === 2);
    expect(shown.length).toBeGreaterThan(15);
    for (const row of shown) expect([row, /`[^`]*`[^|]*\|$|every file of/.test(row)]).toEqual([row, true]);
  });

  it('says how many errors are played', () => {
    const codes = failures.filter(({ data }) => 'errorCode' in data && !('errorExtraInfo' in data));
    expect(page).toContain(`any of ${codes.length} error codes`);
  });
});

describe('mutation testing', () => {
  it('has a score above 90 % in docs/about/testing.md for each file of its scope that has anything to change', async () => {
    const page = read('docs/about/testing.md');
    for (const { file } of await findSubjects(root, [])) {
      const [, score = Number.NaN] = page.match(new RegExp(`\\| \`${file}\` \\|.*\\| (\\S+) % \\|`)) ?? [];
      expect([file, Number(score) > 90]).toEqual([file, true]);
    }
  });

  it('has tests for each file, and names tests that there are', async () => {
    const subjects = await findSubjects(root, []);
    for (const { file, tests } of subjects) expect([file, tests.length > 0]).toEqual([file, true]);
    for (const [name, tests] of Object.entries(furtherTests)) {
      expect(subjects.map(({ file }) => file)).toContainEqual(expect.stringMatching(new RegExp(`/${name}\\.ts$`)));
      for (const test of tests) expect([test, testFiles.some((path) => path.endsWith(`/${test}.test.ts`))]).toEqual([test, true]);
    }
  });
});

it('the README and the message of a standalone server say in the same words what that does not suffice for', () => {
  const sentence = 'A standalone server suffices for all but transactions, cascades and change streams.';
  expect(read('README.md')).toContain(sentence);
  expect(read('dev/replica-set.ts')).toContain(sentence);
});
