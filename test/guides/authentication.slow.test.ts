import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errors, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
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

const jwkOf = async (key: Parameters<typeof exportJWK>[0], kid: string) => ({ ...(await exportJWK(key)), kid, alg: 'ES256' });

let written: WrittenPage;
beforeAll(async () => {
  written = await writePage(page);
});

describe('tokens', () => {
  const claims = { issuer: 'https://login.example/', audience: 'https://notes.example/api' };
  let provider: Server;
  let sign: (own: { aud?: string; roles?: unknown }, expiry?: string, header?: object) => Promise<string>;
  let keys: URL;
  beforeAll(async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const other = await generateKeyPair('ES256'); // a provider that changes its keys has two
    const published = { keys: await Promise.all([jwkOf(publicKey, 'a'), jwkOf(other.publicKey, 'b')]) };
    provider = createServer((_request, response) => response.end(JSON.stringify(published))).listen(0, '127.0.0.1');
    await once(provider, 'listening');
    keys = new URL(`http://127.0.0.1:${(provider.address() as AddressInfo).port}/jwks.json`);
    sign = ({ aud = claims.audience, ...more }, expiry = '5m', header = {}) =>
      new SignJWT({ sub: 'ann', aud, iss: claims.issuer, ...more } as JWTPayload)
        .setProtectedHeader({ alg: 'ES256', kid: 'a', ...header })
        .setIssuedAt()
        .setExpirationTime(expiry)
        .sign(privateKey, { crit: { own: true } });
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
    ['without the id of a key', async () => `Bearer ${await sign({}, '5m', { kid: undefined })}`],
    ['with the id of an unknown key', async () => `Bearer ${await sign({}, '5m', { kid: 'c' })}`],
    ['with the id of another key', async () => `Bearer ${await sign({}, '5m', { kid: 'b' })}`],
    ['with an extension that must be understood', async () => `Bearer ${await sign({}, '5m', { crit: ['own'], own: 1 })}`],
  ])('%s are 401', async (_what, make) => {
    const { port } = await start();
    expect((await send(port, 'GET', '/api/notes', { headers: { authorization: await make() } })).status).toBe(401);
  });

  it('are refused by every error of jose that is about them, and by none that is about the keys of the provider', async () => {
    const { refusals } = await written.load('jwt.ts');
    const ofProvider = ['JOSEError', 'JWKInvalid', 'JWKSInvalid', 'JWKSTimeout', 'JWEInvalid', 'JWEDecryptionFailed']; // an api decrypts none
    const named = refusals.map(({ name }: { name: string }) => name);
    expect([...named, ...ofProvider].sort()).toEqual(Object.keys(errors).sort());
  });

  it.each(['not-admin', { includes: 1 }, 5, null, ['admins'], [['admin']]])('give no role by %j', async (roles) => {
    const { port, errors: told } = await start();
    const headers = { authorization: `Bearer ${await sign({ roles })}` };
    expect((await send(port, 'DELETE', `/api/notes/${'0'.repeat(24)}`, { headers })).status).toBe(403);
    expect(told).toEqual([]);
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

  it.each([
    ['names https', true, { 'x-forwarded-proto': 'https' }, true],
    ['names http', true, { 'x-forwarded-proto': 'http' }, false],
    ['is not there, and a client names https', false, { 'x-forwarded-proto': 'https' }, false],
  ])('have a cookie for https alone if a trusted proxy %s', async (_what, isTrusted, headers, isSecure) => {
    const { createApp } = await written.load('session.ts');
    const port = await listen(createApp(database.db, ['a key'], isTrusted).callback());
    const body = { name: 'ann', password: 'correct horse' };
    const login = await send(port, 'POST', '/login', { body, headers });
    expect([login.status, login.headers['set-cookie']?.map((line) => /; secure(;|$)/i.test(line))]).toEqual([204, [isSecure, isSecure]]);
  });

  it('take what their own pages send behind a proxy with another host, and nothing else', async () => {
    const { createApp } = await written.load('session.ts');
    const port = await listen(createApp(database.db, ['a key'], true).callback());
    const login = async (origin: string) => {
      const headers = { origin, 'x-forwarded-proto': 'https', 'x-forwarded-host': 'notes.example' };
      return (await send(port, 'POST', '/login', { body: { name: 'ann', password: 'correct horse' }, headers })).status;
    };
    expect([await login('https://notes.example'), await login('https://evil.example')]).toEqual([204, 403]);
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
      check: async (name: string, password: string): Promise<typeof ann | undefined> =>
        name === 'ann' && password === 'correct horse' ? ann : undefined,
      find: async () => ann,
    };
    const port = await listen(createApp(database.db, ['a key'], users).callback());
    const login = (password: string) => send(port, 'POST', '/login', { body: { username: 'ann', password } });
    expect((await login('wrong')).status).toBe(401);
    const { status, headers } = await login('correct horse');
    expect(status).toBe(204);
    const cookie = (headers['set-cookie'] ?? []).map((line) => line.split(';')[0]).join('; ');
    const asked: unknown[] = [];
    users.check = async (name) => {
      asked.push(name);
      return undefined;
    };
    for (const username of [{ $gt: '' }, ['ann'], 5, null])
      expect((await send(port, 'POST', '/login', { body: { username, password: 'x' } })).status).toBe(422);
    expect(asked).toEqual([]);
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
