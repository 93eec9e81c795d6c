import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { LiveStream } from '../support/http/live-stream.ts';
import { type Answer, send } from '../support/http/serve.ts';
import { useTemporaryFolder } from '../support/temporary-folder.ts';
import { type RunningExample, useExamples } from './start-example.ts';
import { walkAllCities } from './walk-all-cities.ts';

// The first start on a machine may have to fetch the database binary.

const examples = readFileSync(join(import.meta.dirname, '../../docs/start/examples.md'), 'utf8');
const start = useExamples();
const folder = useTemporaryFolder();
const busy = createServer().listen(0, '127.0.0.1');
const busyPort = () => (busy.address() as AddressInfo).port;

beforeAll(async () => {
  if (!busy.listening) await once(busy, 'listening');
});
afterAll(() => void busy.close());

/** Starts the atlas on a mongod of its own, whatever the other tests run on, and on a port that is taken. */
function startAtlas(): RunningExample {
  return start('atlas/server.ts', { MONGODB_URI: '', ATLAS_DATA: folder.path, PORT: String(busyPort()) });
}

async function portOf(atlas: RunningExample): Promise<number> {
  return Number(new URL(await atlas.says(/http:\S+/)).port);
}

describe('npm start', () => {
  it('loads everything once, prints curl lines that do what is said of them and of them in docs/start/examples.md, pages through all cities, and keeps its data', async () => {
    const first = startAtlas();
    const port = await portOf(first);
    expect(await first.says(/^Port.*$/m)).toBe(`Port ${busyPort()} is taken; this is on port ${port}.`);
    const answers: Answer[] = [];
    const lines = await printedLines(first);
    const live = await subscribe(port, lines.pop() as string);
    for (const line of lines) answers.push(await runCurl(port, line));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 200, 400]);
    const [filtered, caseless, nearby, northern, paged, either, found, numbers, , country, patched, wrong] = answers.map(
      ({ body }) => body,
    );
    expect(filtered.data.map(nameOf)).toEqual(['Oberbipp', 'Oberbuchsiten', 'Oberburg']);
    expect(caseless.data.map(nameOf)).toEqual(['Zürich']);
    expect(nearby.data.map(nameOf)).toEqual(['Zürich (Kreis 1)', 'Zürich (Kreis 1) / Lindenhof', 'Zürich (Kreis 1) / Rathaus']);
    expect(nearby.page).toMatchObject({ has_next: true, next_cursor: null, distances: [146.8, 211, 418.1] });
    expect(northern.data.map(({ id }: { id: string }) => id)).toEqual(['SJ', 'GL', 'IS']);
    expect(paged).toMatchObject({ page: { size: 2, has_next: true, total: 171_075 } });
    expect(either.data.map(nameOf)).toEqual(['Balzers', 'Bendern', 'Eschen']);
    expect(found.data.map(({ id }: { id: string }) => id)).toEqual(['GN', 'GQ', 'GW', 'PG']);
    expect(numbers.data).toEqual([
      { group: { country: 'CH' }, count: 69 },
      { group: { country: 'DE' }, count: 27 },
      { group: { country: 'FR' }, count: 37 },
    ]);
    expect(answers[8]?.text.split('\r\n').slice(0, 2)).toEqual([
      'id,name,country,admin1,admin2,location,revision',
      '00000000000000000001829a,Balzers,LI,01,,"{""type"":""Point"",""coordinates"":[9.50355,47.06661]}",0',
    ]);
    expect(country.data).toMatchObject([{ id: 'CH', languages: { gsw: 'Swiss German' }, revision: 0 }]);
    expect(patched.data).toMatchObject({ name: { common: 'Helvetia', official: 'Swiss Confederation' }, revision: 1 });
    expect(wrong.errors).toHaveLength(2);
    expect(await live.sees(({ data }) => data.revision === 1)).toMatchObject({ data: { name: { common: 'Helvetia' } } });
    live.close();
    for (const shown of [answers[0], answers.at(-1)]) expect(examples).toContain(`\n${shown?.text}\n`);

    const docs = new URL(await first.says(/http:\S+/)); // the first URL that it prints
    expect(docs.pathname).toBe('/api/docs');
    const page = await send(Number(docs.port), 'GET', docs.pathname);
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);

    await walkAllCities((path) => send(port, 'GET', path));

    const refused = await startAtlas().ended;
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr.trim().split('\n').at(-1)).toMatch(
      /^The data folder .* is in use by another mongod, process \d+ of `.*atlas\/server\.ts`, process \d+\. Stop that process, or choose another folder\.$/,
    );

    first.interrupt();
    expect(await first.ended).toMatchObject({ code: 0 });

    const second = startAtlas();
    const { body } = await send(await portOf(second), 'GET', '/api/countries/CH');
    expect(body.data).toEqual(patched.data);
    second.interrupt();
    const { code, stderr } = await second.ended;
    expect(code).toBe(0);
    expect(stderr).not.toContain('loaded');
  });

  it('ends with 0 and without a stack when Ctrl-C cuts off the first load', async () => {
    const atlas = startAtlas();
    await atlas.says(/^loaded .* of 171,325 /m);
    atlas.interrupt();
    const { code, stdout, stderr } = await atlas.ended;
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).not.toMatch(/^\s+at |Error/m);
  });

  it('says in one sentence that there is no MongoDB, and ends with 1', async () => {
    const { code, stdout, stderr } = await start('atlas/server.ts', { MONGODB_URI: 'mongodb://127.0.0.1:1/' }).ended;
    expect([code, stdout]).toEqual([1, '']);
    const lines = stderr.trim().split('\n');
    expect(lines.at(-1)).toMatch(/^MONGODB_URI is set, but no MongoDB answers there/);
    expect(stderr).not.toMatch(/^\s+at /m);
  });
});

const nameOf = (city: { name: string }) => city.name;

async function printedLines(atlas: RunningExample): Promise<string[]> {
  const printed = await atlas.says(/(?:^#.*\ncurl .*\n\s*){13}/m);
  return printed.split('\n').filter((line) => line.startsWith('curl'));
}

/** Sends what a shell and curl would, as far as the printed lines go: the tests need no curl. */
function runCurl(port: number, line: string): Promise<Answer> {
  const { method, path, headers, body } = readCurl(line);
  return send(port, method, path, { headers, body });
}

/** The same for a line whose answer has no end. */
function subscribe(port: number, line: string): Promise<LiveStream> {
  const { path, headers } = readCurl(line);
  return new LiveStream(port, path, headers).opened();
}

function readCurl(line: string) {
  const [, method = 'GET'] = /-X (\w+)/.exec(line) ?? [];
  const [, path = ''] = /'http:\/\/[^/]+([^']*)'/.exec(line) ?? [];
  const headers = Object.fromEntries(
    [...line.matchAll(/-H '([^:]+): ([^']+)'/g)].map(([, name = '', value]) => [name.toLowerCase(), value]),
  );
  return { method, path, headers, body: /-d '([^']+)'/.exec(line)?.[1] };
}
