import { once } from 'node:events';
import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { KeptBytes } from '../../../src/features/live/kept-bytes.ts';
import { LiveAnswer } from '../../../src/features/live/work/answer.ts';

/** A connection whose client takes one piece whenever it is told to. */
class Client extends Writable {
  readonly pieces: Buffer[] = [];
  #taken: (() => void) | undefined;

  override _write(piece: Buffer, _encoding: string, taken: () => void): void {
    this.pieces.push(piece);
    this.#taken = taken;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.pieces);
  }

  take(): void {
    const taken = this.#taken;
    this.#taken = undefined;
    taken?.();
  }

  /** Takes all that comes until nothing more does. */
  async takeAll(): Promise<void> {
    while (this.#taken) {
      this.take();
      await turn();
    }
  }
}

function start() {
  const kept = new KeptBytes(1_000_000_000);
  const whenWanted = jest.fn();
  const answer = new LiveAnswer(kept, whenWanted);
  const client = new Client();
  answer.pipe(client);
  return { kept, answer, client, whenWanted };
}

function frameOf(...parts: readonly string[]) {
  return { parts: parts.map((part) => Buffer.from(part)), bytes: parts.join('').length };
}

const large = () => frameOf('head', 'x'.repeat(1_000_001), '}\n\n');

describe('the answer of a live list', () => {
  it('hands a large event over in pieces, and asks for the next one when its client has taken all of them', async () => {
    const { answer, client, kept, whenWanted } = start();
    await turn();
    whenWanted.mockClear();
    const frame = large();
    answer.send(frame);
    await turn();
    for (let taken = 0; taken < 17; taken++) {
      expect([answer.isWanted, whenWanted.mock.calls.length, kept.bytes]).toEqual([false, 0, frame.bytes]);
      client.take();
      await turn();
    }
    await client.takeAll();
    expect([answer.isWanted, kept.bytes]).toEqual([true, 0]);
    expect(client.bytes.equals(Buffer.concat(frame.parts))).toBe(true);
    expect(Math.max(...client.pieces.map(({ length }) => length))).toBe(65_536);
  });

  it('holds no piece of a large event any more when it gives back its bytes', async () => {
    const { answer, client, kept } = start();
    answer.send(large());
    await turn();
    while (kept.bytes > 0) {
      client.take();
      await turn();
    }
    expect(client.writableLength).toBeLessThanOrEqual(3); // the line feeds, which are bytes of their own
  });

  it('sends the events in their order, the last one behind an unfinished one', async () => {
    const { answer, client, kept } = start();
    const [retry, page, end] = [frameOf('retry: 1\n\n'), large(), frameOf('event: end\n\n')];
    answer.send(retry, page);
    await turn();
    answer.finish(end);
    const finished = once(client, 'finish');
    await client.takeAll();
    await finished;
    expect(client.bytes.equals(Buffer.concat([retry, page, end].flatMap(({ parts }) => parts)))).toBe(true);
    expect(kept.bytes).toBe(0);
  });

  it('gives back what its client has not taken when the connection breaks, and keeps nothing afterwards', async () => {
    const { answer, kept } = start();
    answer.send(large());
    await turn();
    answer.destroy();
    expect(kept.bytes).toBe(0);
    answer.send(large());
    expect(kept.bytes).toBe(0);
  });
});

describe('the bytes that streams keep', () => {
  it('are counted once, however many keep the same', () => {
    const kept = new KeptBytes(100);
    const [shared, own] = [{ bytes: 60 }, { bytes: 50 }];
    kept.keep(shared);
    kept.keep(shared);
    expect(kept.bytes).toBe(60);
    kept.keep(own);
    expect(() => kept.refuseIfExceeded()).toThrow(expect.objectContaining({ code: 'overloaded' }));
    kept.release(shared);
    expect(kept.bytes).toBe(110);
    kept.release(shared);
    expect(kept.bytes).toBe(50);
    kept.refuseIfExceeded();
    kept.release(shared); // which is kept no more
    expect(kept.bytes).toBe(50);
  });

  it('are taken from clients that take an event for more than 15 seconds, the slowest first, before another one is refused', () => {
    const kept = new KeptBytes(100);
    const now = performance.now();
    const sending = [20_000, 16_000, 14_000].map((ago) => {
      const what = { bytes: 60 };
      const one = { since: now - ago, destroy: jest.fn(() => kept.release(what)) };
      kept.begin(one);
      kept.keep(what);
      return one;
    });
    const isCut = () => sending.map(({ destroy }) => destroy.mock.calls.length > 0);
    expect(isCut()).toEqual([false, false, false]);
    kept.refuseIfExceeded();
    expect(isCut()).toEqual([true, true, false]);
    kept.keep({ bytes: 60 });
    expect(() => kept.refuseIfExceeded()).toThrow('keep as many bytes as they may (100)');
    expect(isCut()).toEqual([true, true, false]);
  });
});
