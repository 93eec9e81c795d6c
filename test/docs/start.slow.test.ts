import { order } from '../../site/sidebar.ts';
import { useDatabase } from '../support/database/database.ts';
import { commandsOf } from '../support/docs/console.ts';
import { Reader } from '../support/docs/reader.ts';
import { useLibrary } from '../support/processes/use-library.ts';

/** The pages to follow from the beginning to the end. A step of the tutorial finds what the one before has left. */
const steps = order.Start.Start.filter((path) => /quick-start|tutorial\/\d/.test(path)).map((path) => `docs/${path}`);
let reader: Reader;

const library = useLibrary();
const database = useDatabase();
afterAll(async () => {
  await reader.remove();
  await database.client.db(`${database.db.databaseName}_test`).dropDatabase(); // that of the tests of the last step
});

beforeAll(() => {
  const uri = new URL(process.env.MONGODB_URI ?? '');
  uri.pathname = database.db.databaseName;
  reader = new Reader(uri.href, library);
});

/** What differs from one run to the next: times, and what they take. */
const withoutTimes = (text: string) => text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|\b[\d.]+ ?ms|(?<=duration_ms )[\d.]+/g, '<time>');
const changing = /\b[0-9a-f]{24}\b|(?<=_cursor": ")[^"]+/g;

/** An id or cursor of a page, and the one that takes its place in this run. */
const inThisRun = new Map<string, string>();

describe.each(steps)('%s', (page) => {
  it('prints what its commands print, one after the other', async () => {
    await reader.open(page);
    const commands = commandsOf(page);
    expect(commands.length).toBeGreaterThan(0);
    for (const { command, printed } of commands) {
      let toType = command;
      for (const [shown, now] of inThisRun) toType = toType.replaceAll(shown, now);
      const output = await reader.type(toType);
      const now = output.match(changing) ?? [];
      for (const [index, shown] of (printed.match(changing) ?? []).entries())
        if (!inThisRun.has(shown)) inThisRun.set(shown, now[index] ?? '');
      expect([command, withoutTimes(output)]).toEqual([
        command,
        withoutTimes(printed.replaceAll(changing, (shown) => inThisRun.get(shown) ?? shown)),
      ]);
    }
  });
});
