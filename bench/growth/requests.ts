import type { Collection } from 'mongodb';
import { type Api, defineModel, t } from '../../dist/index.js';

export async function ask(api: Api, path: string, method = 'GET', body?: object, status = 200): Promise<string> {
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const answer = await api.fetch(new Request(`http://growth${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) }));
  const text = await answer.text();
  if (answer.status !== status) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text;
}

/** What a route by hand does around its command: a request, and its answer as text. */
export async function byHand(
  path: string,
  run: (url: URL, body: () => Promise<object>) => Promise<object>,
  method = 'GET',
  body?: object,
): Promise<string> {
  const request = new Request(`http://growth${path}`, { method, ...(body && { body: JSON.stringify(body) }) });
  const answer = new Response(JSON.stringify(await run(new URL(request.url), async () => (await request.json()) as object)));
  return answer.text();
}

export const Card = defineModel('Card', {
  collection: 'cards',
  fields: {
    id: t.int({ policy: { insert: true, sort: true } }),
    board: t.int({ policy: { filter: true } }),
    rank: t.int({ policy: { sort: true } }),
    revision: t.revision(),
  },
});
export interface StoredCard {
  readonly _id: number;
  readonly board: number;
  readonly rank: number;
  readonly revision: number;
}
export const cardOf = (n: number): StoredCard => ({ _id: n, board: n % 1_000, rank: n, revision: 0 });
export const toCard = ({ _id, ...card }: StoredCard) => ({ id: _id, ...card });

export async function fill(cards: Collection<StoredCard>, from: number, to: number): Promise<void> {
  for (let at = from; at < to; at += 20_000)
    await cards.insertMany(
      Array.from({ length: Math.min(20_000, to - at) }, (_, n) => cardOf(at + n)),
      { ordered: false },
    );
}
