import { freePort } from '../../dev/free-port.ts';
import { type Answer, type Sent, send } from '../support/http/serve.ts';
import { useExamples } from './start-example.ts';

const start = useExamples();
let request: (method: string, path: string, sent?: Sent) => Promise<Answer>;

beforeAll(async () => {
  const port = await freePort();
  const url = await start('minimal.ts', { PORT: String(port) }).says(/http\S+/);
  expect(url).toBe(`http://127.0.0.1:${port}/notes`);
  request = (...given) => send(port, ...given);
});

it('creates, lists, changes and deletes a note', async () => {
  const title = `Water the plants ${process.pid}-${Date.now()}`;
  const created = await request('POST', '/notes', { body: { title } });
  expect(created).toMatchObject({ status: 201, headers: { etag: '"0"' }, body: { data: { title, done: false, revision: 0 } } });

  const list = await request('GET', `/notes?${new URLSearchParams({ done: 'false', title })}`);
  expect(list.body).toEqual({ data: [created.body.data], page: { size: 20, has_next: false, next_cursor: null, prev_cursor: null } });

  const path = created.headers.location as string;
  const patched = await request('PATCH', path, { headers: { 'if-match': '"0"' }, body: { done: true } });
  expect(patched).toMatchObject({ status: 200, headers: { etag: '"1"' }, body: { data: { title, done: true, revision: 1 } } });

  expect(await request('DELETE', path)).toMatchObject({ status: 204, text: '' });
  expect(await request('GET', path)).toMatchObject({ status: 404 });
});

it('refuses a note without a title', async () => {
  const { status, body } = await request('POST', '/notes', { body: { titel: 'Water the plants' } });
  expect(status).toBe(422);
  expect(body.errors).toEqual([
    { field: 'titel', message: 'is not a known field; did you mean `title`?', rule: 'unknown_field', params: { suggestion: 'title' } },
    { field: 'title', message: 'is required', rule: 'required' },
  ]);
});
