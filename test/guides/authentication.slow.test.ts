import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { openStore } from 'koa-mongo-resource';
import { useDatabase } from '../support/database/database.ts';
import { useListener } from '../support/http/listen.ts';
import { send, useServer } from '../support/http/serve.ts';
import { exchangesOf, Player } from './parts/exchanges.ts';
import { useWritePage, type WrittenPage } from './parts/write-page.ts';

const writePage = useWritePage();
const page = 'docs/guides/authentication.md';
const database = useDatabase();
const serve = useServer();
const listen = useListener();
const exchanges = exchangesOf(page);

let written: WrittenPage;
beforeAll(async () => {
  written = await writePage(page);
});

describe('tokens', () => {
  const claims = { issuer: 'https://login.example/', audience: 'https://notes.example/api' };
  let provider: Server;
  let sign: (own: { aud?: string; roles?: string[] }, expiry?: string) => Promise<string>;
  let keys: URL;
  beforeAll(async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const jwk = { ...(await exportJWK(publicKey)), kid: 'a', alg: 'ES256' };
    provider = createServer((_request, response) => response.end(JSON.stringify({ keys: [jwk] }))).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    keys = new URL(`http://127.0.0.1:${(provider.address() as AddressInfo).port}/jwks.json`);
    sign = ({ aud = claims.audience, ...more }, expiry = '5m') =>
      new SignJWT({ sub: 'ann', aud, iss: claims.issuer, ...more })
        .setProtectedHeader({ alg: 'ES256', kid: 'a' })
        .setIssuedAt()
        .setExpirationTime(expiry)
        .sign(privateKey);
  });
  afterAll(() => {
    provider.close();
  });

  const start = async () => {
    const { bearer } = await written.load('jwt.ts');
    const { createNotes } = await written.load('notes.ts');
    return serve(createNotes(database.db, bearer({ ...claims, keys })).routes());
  };

  it('answer as the page shows', async () => {
    const { port } = await start();
    const known = { '<expired token>': await sign({}, '-1m'), '<token of ann>': await sign({}) };
    await new Player(port, known).playAll(exchanges.slice(0, 4));
    const admin = { headers: { authorization: `Bearer ${await sign({ roles: ['admin'] })}` } };
    const [{ id }] = (await send(port, 'GET', '/api/notes', admin)).body.data;
    expect((await send(port, 'DELETE', `/api/notes/${id}`, admin)).status).toBe(204);
  });

  it.each([
    ['of another audience', async () => `Bearer ${await sign({ aud: 'https://other.example' })}`],
    ['without a signature', async () => 'Bearer eyJhbGciOiJub25lIn0.e30.'],
    ['that is none', async () => 'Bearer abc'],
    ['of another scheme', async () => 'Basic abc'],
  ])('%s are 401', async (_what, make) => {
    const { port } = await start();
    expect((await send(port, 'GET', '/api/notes', { headers: { authorization: await make() } })).status).toBe(401);
  });

  it('are 500 while the keys cannot be fetched', async () => {
    const { bearer } = await written.load('jwt.ts');
    const { createNotes } = await written.load('notes.ts');
    const { port, errors } = await serve(createNotes(database.db, bearer({ ...claims, keys: new URL('http://127.0.0.1:1/') })).routes());
    const { status } = await send(port, 'GET', '/api/notes', { headers: { authorization: `Bearer ${await sign({})}` } });
    expect([status, errors.length]).toEqual([500, 1]);
  });
});

describe('sessions', () => {
  it('answer as the page shows', async () => {
    const { createApp, hash } = await written.load('session.ts');
    await database.db.collection('users').insertOne({ name: 'ann', password: await hash('correct horse'), roles: [] });
    const player = new Player(await listen(createApp(database.db, ['a key']).callback()));
    const [login] = await player.playAll(exchanges.slice(4, 5));
    const cookies = login?.headers['set-cookie'] ?? [];
    player.known.set('Xk2f…', /notes\.sig=([^;]+)/.exec(cookies.join('\n'))?.[1] ?? '');
    await player.playAll(exchanges.slice(5));
  });

  it('refuse a wrong password as an unknown name', async () => {
    const { createApp } = await written.load('session.ts');
    const port = await listen(createApp(database.db, ['a key']).callback());
    const login = (name: string) => send(port, 'POST', '/login', { body: { name, password: 'wrong' } });
    const [wrong, unknown] = [await login('ann'), await login('nobody')];
    expect([wrong.status, unknown.status, unknown.text]).toEqual([401, 401, wrong.text]);
  });
});

describe('Passport', () => {
  it('leaves the caller to the api', async () => {
    const { createApp } = await written.load('passport.ts');
    const ann = { id: 'ann', roles: [] };
    const users = {
      check: async (name: string, password: string) => (name === 'ann' && password === 'correct horse' ? ann : undefined),
      find: async () => ann,
    };
    const port = await listen(createApp(database.db, ['a key'], users).callback());
    const login = (password: string) => send(port, 'POST', '/login', { body: { username: 'ann', password } });
    expect((await login('wrong')).status).toBe(401);
    const { status, headers } = await login('correct horse');
    expect(status).toBe(204);
    const cookie = (headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ');
    const created = await send(port, 'POST', '/api/notes', { headers: { cookie }, body: { title: 'Buy milk' } });
    expect([created.status, created.body.data?.owner]).toEqual([201, 'ann']);
    expect((await send(port, 'GET', '/api/notes')).status).toBe(401);
  });
});

describe('API keys', () => {
  it('are looked up by their digests', async () => {
    const { byApiKey, digest, ApiKey } = await written.load('api-key.ts');
    const { createNotes } = await written.load('notes.ts');
    await openStore(ApiKey, { db: database.db }).create({ id: digest('secret'), user: 'robot' });
    const { port } = await serve(createNotes(database.db, byApiKey(database.db)).routes());
    const list = async (key: string) => (await send(port, 'GET', '/api/notes', { headers: { 'x-api-key': key } })).status;
    expect([await list('secret'), await list('guess')]).toEqual([200, 401]);
  });
});
