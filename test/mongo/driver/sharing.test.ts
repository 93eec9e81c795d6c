import { roughSizes, Sharing, type Waiting } from '../../../src/mongo/driver/sharing.ts';
import { currentTrace, RequestTrace } from '../../../src/mongo/driver/trace/request-trace.ts';
import type { Command } from '../../../src/mongo/driver/work.ts';

type Sent = readonly Waiting<string, string>[];

/** A command that runs, or that has been aborted. */
const command = (reason?: Error) => ({ aborted: reason && { reason } }) as Command;
const turn = () => new Promise((resolve) => setImmediate(resolve));
const itemsOf = (sent: readonly Sent[]) => sent.map((members) => members.map(({ item }) => item));

/** Answers each with itself, and keeps who was sent with whom. */
function open(sent: Sent[]): Sharing<string, string> {
  return new Sharing(async (members) => {
    sent.push(members);
    for (const { item, resolve } of members) resolve(item);
  });
}

describe('Sharing', () => {
  it('sends those of a group together that arrive in the same turn', async () => {
    const sent: Sent[] = [];
    const sharing = open(sent);
    const answers = [sharing.join('a', command(), 1), sharing.join('b', command(), 2), sharing.join('c', command(), 1)];
    expect(sent).toEqual([]);
    await expect(Promise.all(answers)).resolves.toEqual(['a', 'b', 'c']);
    await sharing.join('d', command(), 1);
    expect(itemsOf(sent)).toEqual([['a', 'c'], ['b'], ['d']]);
  });

  it('sends 64 at a time', async () => {
    const sent: Sent[] = [];
    const sharing = open(sent);
    await Promise.all(Array.from({ length: 130 }, (_, n) => sharing.join(String(n), command(), 1)));
    expect(sent.map(({ length }) => length)).toEqual([64, 64, 2]);
  });

  it('sends as many bytes as go together, and what is larger alone', async () => {
    const sent: Waiting<object, void>[][] = [];
    const sharing = new Sharing<object, void>(async (members) => {
      sent.push([...members]);
      for (const { resolve } of members) resolve();
    }, roughSizes);
    const sizes = [1, 150_000, 150_000, 150_000, 400_000, 1];
    await Promise.all(sizes.map((size) => sharing.join({ text: 'x'.repeat(size) }, command(), 1)));
    expect(sent.map((members) => members.map(({ item }) => (item as { text: string }).text.length))).toEqual([
      [1, 150_000, 150_000],
      [150_000],
      [400_000],
      [1],
    ]);
  });

  it('leaves out those that were aborted', async () => {
    const sent: Sent[] = [];
    const sharing = open(sent);
    const reason = new Error('The client has gone.');
    const answers = [sharing.join('a', command(), 1), sharing.join('b', command(reason), 1), sharing.join('c', command(reason), 2)];
    await expect(Promise.allSettled(answers)).resolves.toEqual([
      { status: 'fulfilled', value: 'a' },
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
    expect(itemsOf(sent)).toEqual([['a']]);
  });

  it('sends each group for the request of its first', async () => {
    const seen: unknown[] = [];
    const sharing = new Sharing<string, void>(async (members) => {
      seen.push(currentTrace.getStore());
      for (const { resolve } of members) resolve();
    });
    const traces = [new RequestTrace('GET /a'), new RequestTrace('GET /b'), new RequestTrace('GET /c')];
    await Promise.all(traces.map((trace, n) => currentTrace.run(trace, () => sharing.join('x', command(), n % 2))));
    expect(seen).toEqual([traces[0], traces[1]]);
  });

  it('is busy while something is under way, whatever becomes of it', async () => {
    const sharing = open([]);
    expect(sharing.isBusy).toBe(false);
    const failing = sharing.count(async () => {
      await turn();
      throw new Error('lost');
    });
    expect(sharing.isBusy).toBe(true);
    await expect(failing).rejects.toThrow('lost');
    expect(sharing.isBusy).toBe(false);
  });
});
