import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../dev/free-port.ts';
import { commandsOf, curl } from '../support/docs/console.ts';
import { useExamples } from './start-example.ts';

const page = 'README.md';
const readme = readFileSync(join(import.meta.dirname, '../..', page), 'utf8');
const withoutTimes = (text: string) => text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>');

const start = useExamples();
let port: number;

beforeAll(async () => {
  port = await freePort();
  await start('minimal.ts', { PORT: String(port) }).says(/http\S+/);
});

describe('the README', () => {
  it('prints what its curl lines really answer', async () => {
    const lines = commandsOf(page).filter(({ command }) => command.includes('localhost:3000'));
    expect(lines.length).toBeGreaterThan(5);
    const shownId = /\/notes\/([0-9a-f]{24})/.exec(lines[0]?.printed ?? '')?.[1] ?? '';
    let id = shownId;
    for (const { command, printed } of lines) {
      const answer = await curl(port, command.replaceAll(shownId, id));
      [, id = id] = /^Location: \/notes\/(\w+)$/m.exec(answer) ?? [];
      expect(withoutTimes(answer)).toBe(withoutTimes(printed.replaceAll(shownId, id)));
    }
  });

  it('shows the model of examples/minimal.ts', () => {
    const example = readFileSync(join(import.meta.dirname, '../../examples/minimal.ts'), 'utf8');
    const model = /const Note = [\s\S]*?\n}\);/;
    expect(model.exec(readme)?.[0]).toBe(model.exec(example)?.[0]);
  });
});

describe('the page of the examples', () => {
  const root = join(import.meta.dirname, '../..');
  const rows = new Map(
    readFileSync(join(root, 'docs/start/examples.md'), 'utf8')
      .split('\n')
      .flatMap((line) => {
        const [, name = '', , start = ''] = /^\| \[`examples\/([^`]+)`\][^|]*\|([^|]*)\| (.*) \|$/.exec(line) ?? [];
        return name === '' ? [] : [[name, start] as const];
      }),
  );

  it('names all of them', () => {
    const parts = ['listen.ts', 'serve.ts']; // which the others share
    expect([...rows.keys(), ...parts].sort()).toEqual(readdirSync(join(root, 'examples')).sort());
  });

  it('says how to start those that have a server, and of no other that it starts', () => {
    for (const [name, start] of rows) {
      const files = name.endsWith('.ts') ? [name] : readdirSync(join(root, 'examples', name));
      const [file] = files.filter((one) => one === 'server.ts' || one === name);
      const command = file && `\`npx tsx examples/${file === name ? name : `${name}/${file}`}\``;
      const own = files.includes('package.json') ? '`npm ci && npm start` in its folder' : command;
      expect([name, own === undefined ? start.includes('tsx') : start]).toEqual([name, own ?? false]);
    }
  });
});
