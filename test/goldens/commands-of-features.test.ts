import { type Api, applyIndexes } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { expectGolden } from '../support/golden.ts';
import { send } from './parts/send.ts';
import { collections, serveShop } from './parts/serve-shop.ts';
import { type Asked, shopRequests } from './parts/shop-requests.ts';
import { storeShop } from './parts/store-shop.ts';
import { writeSection } from './parts/write-section.ts';

const database = useDatabase({ monitorCommands: true });

it('each feature sends the same commands as before', async () => {
  for (const name of collections) await database.db.createCollection(name);
  const api = serveShop(database.db);
  await applyIndexes(api);
  await storeShop(database.db);
  const requests = shopRequests.map((asked) => ({ ...asked, headers: { authorization: asked.by ?? 'ann', ...asked.headers } }));
  for (const asked of requests) await send(api, asked); // what is compiled or connected once is no command of a request
  const sections: string[] = [];
  let isFresh = false;
  for (const asked of requests) {
    if (!isFresh) await storeShop(database.db);
    if (asked.isRepeated) await send(api, asked);
    const path = await withCursor(api, asked);
    sections.push(await writeSection(database, api, asked.about, { ...asked, path }, asked.path));
    isFresh = asked.method === 'GET';
  }
  await expectGolden('commands/features.txt', sections.join('\n'));
}, 600_000); // a net for a hung test: many requests take their time on a busy machine

/** The path of a request, with the cursors of the list that is read before. */
async function withCursor(api: Api<string>, { path, after, headers = {} }: Asked): Promise<string> {
  if (!after) return path;
  const follows = after.includes('{') && after.replace('&after={next}', '');
  const before = follows ? await withCursor(api, { about: '', method: 'GET', path: after, after: follows, headers }) : after;
  const { text } = await send(api, { method: 'GET', path: before, headers });
  const { next_cursor: next, prev_cursor: prev } = JSON.parse(text).page;
  return path.replace('{next}', next).replace('{prev}', prev);
}
