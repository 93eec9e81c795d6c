import { readAtlasData } from '../../examples/atlas/load.ts';
import { foldText } from '../../src/model/fold/fold-text.ts';
import type { Answer } from '../support/http/serve.ts';

interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly page: { readonly next_cursor: string | null; readonly prev_cursor: string | null; readonly total?: number };
}

const list = '/api/cities?sort=country,name&limit=1000';

const idsOf = ({ data }: Page) => data.map(({ id }) => id);

/**
 * The ids of all cities by country, folded name and place in the file, as MongoDB compares text: by the bytes of UTF-8.
 */
function sortedIds(): string[] {
  const bytes = (text: string) => Buffer.from(text).toString('latin1');
  const keyed = readAtlasData().cities.map(({ country, name }, index) => ({ country: bytes(country), name: bytes(foldText(name)), index }));
  keyed.sort((a, b) => compare(a.country, b.country) || compare(a.name, b.name) || a.index - b.index);
  return keyed.map(({ index }) => index.toString(16).padStart(24, '0'));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Where two lists first differ: a difference of 171,075 lines would tell nobody anything. */
function firstDifference(seen: readonly string[], expected: readonly string[]): number | undefined {
  const at = expected.findIndex((id, index) => seen[index] !== id);
  return at === -1 ? undefined : at;
}

/**
 * Pages through all 171,075 cities by cursor, forwards and back: every city comes exactly once, in the order of country
 * and name.
 */
export async function walkAllCities(get: (path: string) => Promise<Answer>): Promise<void> {
  async function read(path: string): Promise<Page> {
    const { status, body } = await get(path);
    expect(status).toBe(200);
    return body as Page;
  }

  const expected = sortedIds();
  const forwards: string[] = [];
  let last = await read(`${list}&total=true`);
  expect(last.page.total).toBe(171_075);
  for (;;) {
    forwards.push(...idsOf(last));
    if (last.page.next_cursor === null) break;
    last = await read(`${list}&after=${last.page.next_cursor}`);
  }
  expect(forwards).toHaveLength(171_075);
  expect(new Set(forwards).size).toBe(171_075);
  expect(firstDifference(forwards, expected)).toBeUndefined();

  const backwards = [idsOf(last)];
  for (let { prev_cursor: before } = last.page; before !== null; ) {
    const found = await read(`${list}&before=${before}`);
    backwards.push(idsOf(found));
    before = found.page.prev_cursor;
  }
  expect(backwards.flat()).toHaveLength(171_075);
  expect(firstDifference(backwards.reverse().flat(), expected)).toBeUndefined();
}
