import { execFile } from 'node:child_process';
import { join } from 'node:path';
import type { Any } from './support/any.ts';

const root = join(import.meta.dirname, '..');

/** The first lines of what is said of each test of a file, without colours: nothing of one that passes. */
async function runJest(...args: string[]): Promise<Record<string, string[]>> {
  const command = ['node_modules/jest/bin/jest.js', '--selectProjects', 'mutation', '--json', ...args];
  const text = await new Promise<string>((resolve) => {
    execFile(process.execPath, command, { cwd: root, env: { ...process.env, NO_COLOR: '1' } }, (_error, stdout) => resolve(stdout));
  });
  const [{ assertionResults }] = JSON.parse(text.slice(text.indexOf('{"'))).testResults;
  return Object.fromEntries(
    assertionResults.map(({ ancestorTitles, title, failureMessages }: Any) => [
      [...ancestorTitles, title].join(' '),
      failureMessages
        .flatMap((message: string) => message.match(/(?<=^ +Error: ).*(?:\n +expect.*)?/gm))
        .map((one: string) => one.replace(/\n +/, ': ')),
    ]),
  );
}

it('a run fails what has to fail, and says why', async () => {
  const told = await runJest('--testMatch', '**/what-fails.ts');
  expect(told).toEqual({
    'a block whose hook before all tests fails has a test that would pass': ['no database'],
    'a block whose hook before all tests fails and a block with another one': ['no database'],
    'a hook before each test fails the first one': ['{ code: 11000 }'],
    'a hook before each test passes the second one': [],
    'asserts nothing': ['The test asserts nothing.'],
    'takes too long': ['The test took longer than 20 ms.'],
    'has a row of 1': [],
    'says which case has failed': ['the case: expect(received).toBe(expected) // Object.is equality'],
    'says it of what is awaited': ['the case: expect(received).rejects.toThrow(expected)'],
    'goes on after a soft failure': [
      'the first: expect(received).toBe(expected) // Object.is equality',
      'expect(received).not.toBe(expected) // Object.is equality',
      'the last: expect(received).toBe(expected) // Object.is equality',
    ],
    'hooks that run afterwards run after a test': [],
    'hooks that run afterwards begin with the last one': [],
    'leaves a server open': [],
    '(afterAll)': ['This file leaves open: 1 TCPServerWrap.'],
  });
});

it('one test of a file is run by its name', async () => {
  const told = await runJest('--testMatch', '**/what-fails.ts', '-t', 'asserts nothing');
  expect(told['asserts nothing']).toEqual(['The test asserts nothing.']);
  expect(told['says which case has failed']).toEqual([]);
});
