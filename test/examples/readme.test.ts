import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../support/http/free-port.ts';
import { type Answer, send } from '../support/http/serve.ts';
import { useExamples } from './start-example.ts';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');

/** A curl line of the README, and what it says that comes back. */
interface Shown {
  readonly command: string;
  readonly printed: string;
}

function shownAfter(heading: string): Shown[] {
  const block = readme.slice(readme.indexOf(heading)).match(/```console\n([\s\S]*?)```/)?.[1] ?? '';
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((text) => ({ command: text.slice(0, text.indexOf('\n')), printed: text.slice(text.indexOf('\n') + 1).trim() }));
}

/** Sends what a curl line would send: its words, with -X, -H and -d. */
function curl(port: number, command: string): Promise<Answer> {
  const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  const optionsOf = (flag: string) => words.flatMap((word, index) => (word === flag ? [words[index + 1] ?? ''] : []));
  const [body] = optionsOf('-d');
  const [method = body === undefined ? 'GET' : 'POST'] = optionsOf('-X');
  const headers = Object.fromEntries(optionsOf('-H').map((line) => line.split(': ') as [string, string]));
  const path = words.find((word) => word.startsWith('localhost:3000'))?.slice('localhost:3000'.length) ?? '/';
  return send(port, method, path, { headers, ...(body !== undefined && { body }) });
}

/** As curl prints it, without the headers that the README leaves out. */
function print({ status, headers, text }: Answer, withHeaders: boolean): string {
  if (!withHeaders) return text;
  const shown = ['Location', 'ETag', 'Content-Type'].flatMap((name) => {
    const value = headers[name.toLowerCase()];
    return value === undefined ? [] : [`${name}: ${value}`];
  });
  const phrase = { 200: 'OK', 201: 'Created', 204: 'No Content' }[status];
  return [`HTTP/1.1 ${status} ${phrase}`, ...shown, '', text].join('\n').trim();
}

const withoutTimes = (text: string) => text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');

const start = useExamples();
let port: number;

beforeAll(async () => {
  port = await freePort();
  await start('minimal.ts', { PORT: String(port) }).says(/http\S+/);
});

describe('the README', () => {
  it('prints what its curl lines really answer', async () => {
    const lines = shownAfter('What it answers');
    expect(lines.length).toBeGreaterThan(5);
    const shownId = /\/notes\/([0-9a-f]{24})/.exec(lines[0]?.printed ?? '')?.[1] ?? '';
    let id = shownId;
    for (const { command, printed } of lines) {
      const answer = await curl(port, command.replaceAll(shownId, id));
      id = answer.headers.location?.slice('/notes/'.length) ?? id;
      expect(withoutTimes(print(answer, command.includes(' -i ')))).toBe(withoutTimes(printed.replaceAll(shownId, id)));
    }
  });

  it('shows the model of examples/minimal.ts', () => {
    const example = readFileSync(join(import.meta.dirname, '../../examples/minimal.ts'), 'utf8');
    const model = /const Note = [\s\S]*?\n}\);/;
    expect(model.exec(readme)?.[0]).toBe(model.exec(example)?.[0]);
  });
});
