import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { problems } from 'koa-mongo-resource';
import { freePort } from '../../dev/free-port.ts';
import { useDatabase } from '../support/database/database.ts';
import { root } from '../support/docs/pages.ts';
import { useListener } from '../support/http/listen.ts';
import { send, useServer } from '../support/http/serve.ts';
import { exchangesOf, Player } from './parts/exchanges.ts';
import { useWritePage, type WrittenPage } from './parts/write-page.ts';

const writePage = useWritePage();
const page = 'docs/guides/from-hand-written-koa.md';
const database = useDatabase();
const serve = useServer();
const listen = useListener();
const exchanges = exchangesOf(page);
const known = new Map<string, string>();

let written: WrittenPage;
let port: number;
beforeAll(async () => {
  written = await writePage(page);
});

/** Plays the next exchanges of the page, which know the ids of those before. */
async function playNext(count: number): Promise<void> {
  const player = new Player(port, Object.fromEntries(known));
  await player.playAll(exchanges.splice(0, count));
  for (const [shown, real] of player.known) known.set(shown, real);
}

const step = async (file: string, name: string) => (await written.load(file))[name](database.db);

describe('the guide from hand-written Koa', () => {
  it('starts with an app that listens', async () => {
    const free = await freePort();
    const env = { ...process.env, PORT: String(free), DATABASE: `${database.db.databaseName}_app` };
    const child = spawn(process.execPath, ['--import', 'tsx', join(written.folder, 'app.ts')], { cwd: root, env, stdio: 'inherit' });
    let status: number | undefined;
    while (status === undefined) {
      status = (await send(free, 'GET', '/notes').catch(() => undefined))?.status;
      if (status === undefined) await setTimeout(50);
    }
    expect(status).toBe(200);
    child.kill();
    await once(child, 'exit');
  });

  it('answers as the page shows after each step', async () => {
    const byHand = await step('by-hand.ts', 'byHand');
    ({ port } = await serve(byHand));
    await playNext(2);
    ({ port } = await serve(problems(), byHand));
    await playNext(1);
    const create = await step('2-create.ts', 'create');
    ({ port } = await serve(problems(), create, byHand));
    await playNext(2);
    const read = await step('3-read.ts', 'read');
    ({ port } = await serve(problems(), create, read, byHand));
    await playNext(1);
    const write = await step('4-write.ts', 'write');
    ({ port } = await serve(create, read, write, byHand));
    await playNext(2);
    expect((await send(port, 'GET', '/notes/none')).status).toBe(404);
    const stale = await send(port, 'PATCH', `/notes/${known.get('6b01b4bf4ace1bf9239ebef0')}`, {
      body: {},
      headers: { 'if-match': '"0"' },
    });
    expect(stale.status).toBe(412);
    ({ port } = await serve(await step('5-access.ts', 'access')));
    await playNext(1);
    port = await listen((await step('6-resource.ts', 'createApp')).callback());
    await playNext(1);
    expect(exchanges).toEqual([]);
    expect((await send(port, 'DELETE', `/notes/${known.get('6b01b4bf4ace1bf9239ebef0')}`, { headers: { 'x-user': 'ann' } })).status).toBe(
      204,
    );
  });
});
