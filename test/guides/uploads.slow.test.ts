import { useDatabase } from '../support/database/database.ts';
import { blocksOf } from '../support/docs/pages.ts';
import { send, type TestServer, useServer } from '../support/http/serve.ts';
import { useWritePage, type WrittenPage } from './parts/write-page.ts';

const writePage = useWritePage();
const page = 'docs/guides/uploads.md';
const database = useDatabase();
const serve = useServer();
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAC0lEQVR4nGNgAAIAAAUAAXpeqz8AAAAASUVORK5CYII=', 'base64');

let written: WrittenPage;
let server: TestServer;
let product: string;
let upload: (product: string, picture: Blob, name: string) => Promise<Response>;
beforeAll(async () => {
  written = await writePage(page);
  server = await serve((await written.load('api.ts')).createShop(database.db).routes());
  ({ upload } = await written.load('upload.ts'));
  const created = await send(server.port, 'POST', '/api/products', { body: { name: 'Lamp' } });
  product = `http://127.0.0.1:${server.port}${created.headers.location}`;
});

const countFiles = () => database.db.collection('pictures.files').countDocuments();
const blob = (type: string, bytes: Uint8Array = png) => new Blob([new Uint8Array(bytes)], { type });

describe('the guide on uploads', () => {
  it('keeps a picture, shows it, and replaces it', async () => {
    const answer = await upload(product, blob('image/png'), 'lamp.png');
    const [shown] = blocksOf(page).filter(({ language }) => language === 'json');
    const expected = JSON.parse(shown?.code ?? '');
    expect([answer.status, await answer.json()]).toEqual([200, { data: { ...expected.data, id: expect.any(String) } }]);

    const picture = await fetch(`${product}/picture`);
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(Buffer.from(await picture.arrayBuffer()).equals(png)).toBe(true);
    const again = await fetch(`${product}/picture`, { headers: { 'if-none-match': picture.headers.get('etag') ?? '' } });
    expect(again.status).toBe(304);

    expect((await upload(product, blob('image/jpeg'), 'lamp.jpg')).status).toBe(200);
    expect(await countFiles()).toBe(1);
  });

  it('refuses what is too large, of another type, or no such form, and keeps nothing of it', async () => {
    const large = await upload(product, blob('image/png', Buffer.alloc(5 * 1024 * 1024 + 1)), 'large.png');
    expect([large.status, await large.json()]).toEqual([413, expect.objectContaining({ code: 'body_too_large' })]);
    expect((await upload(product, blob('text/html'), 'x.html')).status).toBe(415);
    const otherField = new FormData();
    otherField.append('other', blob('image/png'), 'x.png');
    expect((await fetch(`${product}/picture`, { method: 'PUT', body: otherField })).status).toBe(400);
    const json = await fetch(`${product}/picture`, { method: 'PUT', body: '{}', headers: { 'content-type': 'application/json' } });
    expect(json.status).toBe(422);
    expect(await countFiles()).toBe(1);
  });

  type Parts = readonly (readonly [name: string, value: string | Blob])[];
  it.each<readonly [what: string, parts: () => Parts]>([
    [
      'a text before the file',
      () => [
        ['note', 'x'],
        ['picture', blob('image/png')],
      ],
    ],
    [
      'a text after the file',
      () => [
        ['picture', blob('image/png')],
        ['note', 'x'],
      ],
    ],
    [
      'ten texts of a megabyte',
      () => [...Array.from({ length: 10 }, (_, n) => [`t${n}`, 'x'.repeat(1_000_000)] as const), ['picture', blob('image/png')]],
    ],
    [
      'a second file',
      () => [
        ['picture', blob('image/png')],
        ['picture', blob('image/png')],
      ],
    ],
    ['a text called as the file', () => [['picture', 'x']]],
  ])('takes one file and nothing beside it: %s', async (_what, parts) => {
    const form = new FormData();
    for (const [name, value] of parts()) form.append(name, value);
    const answer = await fetch(`${product}/picture`, { method: 'PUT', body: form });
    expect([answer.status, await answer.json()]).toEqual([400, expect.objectContaining({ code: 'malformed_form' })]);
    expect(await countFiles()).toBe(1);
  });

  it('answers 404 and 412 without keeping the file', async () => {
    const other = product.replace(/[0-9a-f]{24}$/, '0'.repeat(24));
    expect((await upload(other, blob('image/png'), 'x.png')).status).toBe(404);
    const form = new FormData();
    form.append('picture', blob('image/png'), 'x.png');
    expect((await fetch(`${product}/picture`, { method: 'PUT', body: form, headers: { 'if-match': '"0"' } })).status).toBe(412);
    expect(await countFiles()).toBe(1);
  });

  it('deletes the picture with its product', async () => {
    expect((await fetch(product, { method: 'DELETE' })).status).toBe(204);
    expect(await countFiles()).toBe(0);
  });
});
