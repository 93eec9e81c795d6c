import { sendDocument } from '../../src/api/send-document.ts';
import type { Context } from '../../src/middleware/exchange/context.ts';
import type { OpenapiDocument } from '../../src/openapi/document.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

function serve(build: () => OpenapiDocument): (mount: string) => Promise<string> {
  const send = sendDocument(build, '/openapi.json');
  return async function ask(mount) {
    const ctx = { req: {}, app: { proxy: false }, originalUrl: `${mount}/openapi.json`, set: () => undefined } as unknown as Context;
    await send(ctx, async () => undefined);
    return ctx.body as string;
  };
}

const document: OpenapiDocument = {
  openapi: '3.1.0',
  info: { title: 'A', version: '1' },
  servers: [],
  tags: [],
  paths: {},
  components: {},
};

it('builds the document at the first request, and once', async () => {
  let builds = 0;
  const ask = serve(() => {
    builds++;
    return document;
  });
  expect(builds).toBe(0);
  await ask('/a');
  await ask('/b');
  expect(builds).toBe(1);
});

it('writes the text once for each mount, however often they alternate', async () => {
  const ask = serve(() => document);
  await ask('');
  const servers: unknown[] = [];
  const { stringify } = JSON;
  jest.spyOn(JSON, 'stringify').mockImplementation((value: unknown) => {
    servers.push(value);
    return stringify(value);
  });
  const bodies: unknown[] = [];
  for (const mount of ['/a', '/b', '/a', '/b', '/a']) bodies.push(JSON.parse(await ask(mount)).servers[0].url);
  expect(bodies).toEqual(['/a', '/b', '/a', '/b', '/a']);
  expect(servers).toEqual([[{ url: '/a' }], [{ url: '/b' }]]);
});
