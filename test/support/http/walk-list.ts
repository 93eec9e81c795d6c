import type { Any } from '../any.ts';
import type { TestServer } from './serve.ts';

/** One page of a walk. */
export interface WalkedPage {
  readonly ids: readonly unknown[];
  /** How many bytes the JSON of its records has. */
  readonly bytes: number;
  readonly page: Any;
}

/**
 * Follows a list to its end, and from there back to its beginning; `path` has a query already. The first page is in
 * both.
 */
export async function walkList(api: TestServer, path: string): Promise<{ readonly there: WalkedPage[]; readonly back: WalkedPage[] }> {
  const first = await list(api, path);
  const there = [first];
  for (let { next_cursor: next } = first.page; next !== null; next = there.at(-1)?.page.next_cursor)
    there.push(await list(api, `${path}&after=${next}`));
  const back = there.slice(-1);
  for (let prev = back[0]?.page.prev_cursor; prev !== null; prev = back[0]?.page.prev_cursor)
    back.unshift(await list(api, `${path}&before=${prev}`));
  return { there, back };
}

async function list(api: TestServer, path: string): Promise<WalkedPage> {
  const { status, body, text } = await api.request('GET', path);
  expect([path, status]).toEqual([path, 200]);
  const data = text.slice('{"data":'.length, text.lastIndexOf(',"page":'));
  return { ids: body.data.map(({ id }: { id: unknown }) => id), bytes: Buffer.byteLength(data), page: body.page };
}

/** The ids of a walk, in its order. */
export function idsOf(pages: readonly WalkedPage[]): unknown[] {
  return pages.flatMap(({ ids }) => ids);
}
