import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createBookings } from '../../examples/answering-with-errors/api.ts';
import { applyIndexes, openapiDocument } from '../../src/index.ts';
import type { Any } from '../support/any.ts';
import { useDatabase } from '../support/database/database.ts';
import { type Answer, type TestServer, useServer } from '../support/http/serve.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');
const page = read('docs/reference/answering-with-errors.md');
const database = useDatabase();
const serve = useServer();
let server: TestServer;
let path: string;

/** The code blocks of one kind in a section of the page. */
function blocks(kind: 'ts' | 'json', heading: string): string[] {
  const section = page.slice(page.indexOf(`\n## ${heading}\n`)).split(/\n## /)[1] ?? '';
  return [...section.matchAll(new RegExp(`\`\`\`${kind}\\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);
}

const booking = { seat: 'A1', guest: 'ann', from: 1, to: 2 };

beforeAll(async () => {
  const api = createBookings(database.db);
  await applyIndexes(api);
  server = await serve(api.routes());
  path = String((await server.request('POST', '/api/bookings', { body: booking })).headers.location);
  await server.request('POST', `${path}/pay`);
});

const cases: readonly [heading: string, send: () => Promise<Answer>, headers?: object][] = [
  ['A problem of your own', () => server.request('POST', `${path}/pay`)],
  [
    'Who are you?',
    () => server.request('GET', path, { headers: { authorization: 'Bearer x' } }),
    { 'www-authenticate': 'Bearer realm="theatre"' },
  ],
  ['`ctx.throw`', () => server.request('POST', `${path}/print`)],
  ['Checks', () => server.request('POST', '/api/bookings', { body: { ...booking, from: 2 } })],
  ['Values that must be unique', () => server.request('POST', `${path}/double`)],
  [
    'Another form, another language',
    () => server.request('POST', '/api/bookings', { body: { ...booking, seat: 'a', guest: '' }, headers: { 'accept-language': 'de' } }),
    { 'content-language': 'de' },
  ],
];

describe('docs/reference/answering-with-errors.md', () => {
  it.each(cases)('shows what is really answered: %s', async (heading, send, headers = {}) => {
    const [shown = ''] = blocks('json', heading);
    const answer = await send();
    expect(answer.body).toEqual(JSON.parse(shown));
    expect(answer.status).toBe(answer.body.status);
    expect(answer.headers).toMatchObject({ 'content-type': 'application/problem+json', ...headers });
    expect(server.errors).toEqual([]);
  });

  it.each(cases)('shows code of the example: %s', (heading) => {
    const [shown = ''] = blocks('ts', heading);
    expect(shown).not.toBe('');
    expect(read('examples/answering-with-errors/api.ts')).toContain(shown);
  });

  it('has the middleware above that its page shows', async () => {
    const shown = blocks('ts', 'Another form, another language').at(-1) ?? '';
    const used: Any[] = [];
    new Function('app', shown)({ use: (middleware: Any) => used.push(middleware) });
    const above = await serve(...used, createBookings(database.db).routes());
    expect((await above.request('POST', `${path}/print`)).body).toEqual({ error: 'gone' });
  });

  it('is right that the description promises no body for errors', () => {
    const document = openapiDocument(createBookings(database.db));
    const responses = Object.values(document.components.responses ?? {}) as Any[];
    expect(responses.length).toBeGreaterThan(10);
    for (const response of responses) {
      expect(response).not.toHaveProperty('content');
      expect(response.description).toMatch(/The body is of the application's own making\.$/);
    }
    expect(document.components.schemas).not.toHaveProperty('Problem');
    expect(Object.keys((document.paths['/api/bookings/{id}/pay'] as Any).post.responses)).toContain('409');
  });
});
