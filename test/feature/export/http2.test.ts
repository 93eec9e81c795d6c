import { once } from 'node:events';
import { connect, constants, createServer, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { defineModel, everything, Problem, service, t } from '../../../src/index.ts';
import { useDatabase } from '../../support/database/database.ts';

const Row = defineModel('Row', { collection: 'rows', fields: { id: t.int(), text: t.string() } });
const database = useDatabase();
const count = 1_000;

beforeAll(async () => {
  const text = 'x'.repeat(10_000);
  await database.db.collection('rows').insertMany(Array.from({ length: count }, (_, id) => ({ _id: id as never, text })));
});

let server: Http2Server | undefined;
afterEach(() => void server?.close());

/** Exports the rows over HTTP/2: what has come, and the code with which the stream was closed. */
async function read(
  accept: string,
  { refuseAt = 1_000, wait = 0, answerTimeout = 60_000 } = {},
): Promise<{ readonly text: string; readonly code: number | undefined }> {
  const shop = service();
  let calls = 0;
  const scope = (): typeof everything => {
    if (++calls > refuseAt) throw new Problem({ code: 'forbidden' });
    return everything;
  };
  const api = shop.api({
    db: database.db,
    answerTimeout,
    resources: [shop.resource({ model: Row, ops: ['list'], export: {}, scope })],
  });
  server = createServer((request, response) => void api.callback()(request as never, response as never)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const stream = client.request({ ':path': '/rows', accept });
  stream.on('error', () => undefined); // `rstCode` has it
  await once(stream, 'response');
  await new Promise((resolve) => setTimeout(resolve, wait)); // the client does not read
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  if (!stream.closed) await new Promise((resolve) => stream.once('close', resolve));
  client.close();
  return { text: Buffer.concat(chunks).toString(), code: stream.rstCode };
}

describe('an export over HTTP/2', () => {
  it('ends without an error when all has been sent', async () => {
    const { text, code } = await read('application/x-ndjson');
    expect([text.endsWith(`\n{"end":true,"count":${count}}\n`), code]).toEqual([true, constants.NGHTTP2_NO_ERROR]);
  });

  it('ends with its problem and an error of the stream when it fails', async () => {
    const { text, code } = await read('application/x-ndjson', { refuseAt: 3 });
    const last = JSON.parse(text.trim().split('\n').at(-1) as string);
    expect([last, code]).toMatchObject([
      { end: false, problem: { code: 'forbidden' }, next_cursor: expect.any(String) },
      constants.NGHTTP2_INTERNAL_ERROR,
    ]);
  });

  it('is no table that looks complete when it fails', async () => {
    expect(await read('text/csv', { refuseAt: 3 })).toEqual({
      text: expect.stringMatching(/x\r\n$/),
      code: constants.NGHTTP2_INTERNAL_ERROR,
    });
  });

  it('is no table that looks complete when `answerTimeout` cuts it off', async () => {
    const { text, code } = await read('text/csv', { answerTimeout: 200, wait: 1_500 });
    expect([text.length < count * 10_000, code]).toEqual([true, constants.NGHTTP2_INTERNAL_ERROR]);
  });
});
