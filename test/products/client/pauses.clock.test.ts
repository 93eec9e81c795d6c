import type { Any } from '../../support/any.ts';
import { useClients } from './serve-streams.ts';

/** A clock of the test: what the client waits for would take minutes. The streams are in this process. */
beforeEach(() => void jest.useFakeTimers({ now: Date.UTC(2026, 0, 1), doNotFake: ['nextTick', 'queueMicrotask'] }));
afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

const open = useClients();
const encoder = new TextEncoder();
const page = 'event: page\nid: d1\ndata: {"data":[],"page":{}}\n\n';

interface Opened {
  readonly headers: Headers;
  readonly signal: AbortSignal;
  write(text: string): void;
  end(): void;
}

/** A service in this process: `answers` come first, then streams. */
function createService(...answers: (Response | Error)[]): { readonly opened: Opened[]; readonly fetch: typeof fetch; count: number } {
  const service = {
    opened: [] as Opened[],
    count: 0,
    async fetch(_url: unknown, { headers, signal }: { headers: Headers; signal: AbortSignal }) {
      service.count++;
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      if (answer) return answer;
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          signal.addEventListener('abort', () => controller.error(signal.reason));
          service.opened.push({
            headers,
            signal,
            write: (text) => controller.enqueue(encoder.encode(text)),
            end: () => controller.close(),
          });
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    },
  };
  return service as Any;
}

const url = 'http://service/orders';
const advance = (ms: number) => jest.advanceTimersByTimeAsync(ms);

/** How long the client waits before each of its requests but the first. */
async function pausesOf(service: { readonly count: number }, requests: number): Promise<number[]> {
  const pauses: number[] = [];
  for (let at = 1; at < requests; at++) {
    await advance(0);
    const before = service.count;
    let waited = 0;
    while (service.count === before) {
      await jest.advanceTimersToNextTimerAsync();
      waited = Date.now();
    }
    pauses.push(waited);
  }
  return pauses.map((time, index) => time - (pauses[index - 1] ?? Date.UTC(2026, 0, 1)));
}

describe('the pause before another try', () => {
  const fail = (count: number) => Array.from({ length: count }, () => new Error('away'));

  it.each([
    [0.5, [500, 1000, 2000, 4000, 8000, 15_000, 15_000]],
    [0.25, [250, 500, 1000, 2000, 4000, 7500, 7500]],
  ])('is random, between nothing and a limit that doubles up to 30 seconds: %d', async (random, pauses) => {
    jest.spyOn(Math, 'random').mockReturnValue(random);
    const service = createService(...fail(7));
    open(url, { fetch: service.fetch });
    expect(await pausesOf(service, 8)).toEqual(pauses);
  });

  it('begins with what the service has said by `retry`, and anew after each event', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
    const service = createService();
    open(url, { fetch: service.fetch });
    await advance(0);
    service.opened[0]?.write(`retry: 3000\n\n${page}`);
    for (const [index, pause] of [1500, 3000].entries()) {
      await advance(0);
      service.opened[index]?.end(); // without an event, the second time
      await advance(pause - 1);
      expect(service.count).toBe(index + 1);
      await advance(1);
      expect(service.count).toBe(index + 2);
    }
    service.opened[2]?.write(page);
    await advance(0);
    service.opened[2]?.end();
    await advance(1500);
    expect(service.count).toBe(4);
  });

  it('grows also if the service has said 0', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
    const service = createService();
    open(url, { fetch: service.fetch });
    await advance(0);
    service.opened[0]?.write('retry: 0\n\n');
    for (let index = 0; index < 12; index++) {
      await advance(0);
      service.opened[index]?.end();
      await advance(2 ** index);
    }
    const before = service.count;
    service.opened.at(-1)?.end();
    await advance(1_000);
    expect(service.count).toBe(before);
  });

  it.each<[string, number]>([
    ['7', 7000],
    [new Date(Date.UTC(2026, 0, 1, 0, 0, 9)).toUTCString(), 9000],
    [new Date(Date.UTC(2025, 0, 1)).toUTCString(), 0],
    ['-5', 0],
    ['soon', 0],
    ['1e300', 86_400_000],
  ])('is at least what `Retry-After: %s` says, and a random time more', async (after, least) => {
    jest.spyOn(Math, 'random').mockReturnValue(0.5);
    const service = createService(new Response('', { status: 503, headers: { 'retry-after': after } }));
    open(url, { fetch: service.fetch });
    expect(await pausesOf(service, 2)).toEqual([least + 500]);
  });

  it('ends when the client is closed', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0.5); // the pause may have no length
    const service = createService(...fail(1));
    const client = open(url, { fetch: service.fetch });
    await advance(0);
    client.close();
    await advance(60_000);
    expect([service.count, jest.getTimerCount()]).toEqual([1, 0]);
  });
});

describe('a silent connection', () => {
  it('is given up after 45 seconds, which comments put off', async () => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    const service = createService();
    const client = open(url, { fetch: service.fetch });
    await advance(0);
    const [stream] = service.opened;
    stream?.write(page);
    for (let beat = 0; beat < 5; beat++) {
      await advance(44_000);
      stream?.write(': \n\n');
    }
    await advance(44_999);
    expect([service.count, stream?.signal.aborted]).toEqual([1, false]);
    await advance(1);
    expect(stream?.signal.aborted).toBe(true);
    await advance(1);
    expect(service.count).toBe(2);
    expect(client.errors.map(({ message }) => message)).toEqual(['The stream was silent for too long.']);
    expect(service.opened[1]?.headers.get('last-event-id')).toBe('d1');
  });

  it('is given up as well if no answer comes', async () => {
    let aborted = 0;
    const client = open(url, {
      fetch: ((_url: unknown, { signal }: { signal: AbortSignal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            aborted++;
            reject(signal.reason);
          });
        })) as typeof fetch,
    });
    await advance(45_000);
    expect([aborted, client.errors.length]).toEqual([1, 1]);
  });
});

describe('a page', () => {
  const window = globalThis as Any;
  let shown: EventTarget & { visibilityState: string };
  let events: EventTarget;

  beforeEach(() => {
    jest.spyOn(Math, 'random').mockReturnValue(0);
    shown = Object.assign(new EventTarget(), { visibilityState: 'visible' });
    events = new EventTarget();
    window.document = shown;
    window.addEventListener = events.addEventListener.bind(events);
    window.removeEventListener = events.removeEventListener.bind(events);
  });
  afterEach(() => {
    for (const name of ['document', 'addEventListener', 'removeEventListener']) delete window[name];
  });

  async function show(visibilityState: 'visible' | 'hidden'): Promise<void> {
    shown.visibilityState = visibilityState;
    shown.dispatchEvent(new Event('visibilitychange'));
    await advance(0);
  }

  it('that is hidden for a minute closes the stream, and goes on from there when it is shown again', async () => {
    const service = createService();
    const client = open(url, { fetch: service.fetch });
    await advance(0);
    service.opened[0]?.write(page);
    await show('hidden');
    await advance(44_000);
    service.opened[0]?.write(': \n\n');
    await advance(15_999);
    expect(service.opened[0]?.signal.aborted).toBe(false);
    await advance(1);
    expect([service.opened[0]?.signal.aborted, service.count]).toEqual([true, 1]);
    await advance(600_000);
    expect(service.count).toBe(1);
    await show('visible');
    expect(service.opened[1]?.headers.get('last-event-id')).toBe('d1');
    service.opened[1]?.write('event: same\nid: d1\ndata: {}\n\n');
    await advance(0);
    expect([client.states.length, client.states[1] === client.states[0], client.errors]).toEqual([2, true, []]);
  });

  it('that is hidden for less than a minute keeps it', async () => {
    const service = createService();
    open(url, { fetch: service.fetch });
    await show('hidden');
    await advance(40_000);
    await show('visible');
    service.opened[0]?.write(page);
    await advance(40_000);
    expect([service.count, service.opened[0]?.signal.aborted]).toEqual([1, false]);
  });

  it('that is opened in the background has a minute, too', async () => {
    shown.visibilityState = 'hidden';
    const service = createService();
    open(url, { fetch: service.fetch });
    await advance(0);
    service.opened[0]?.write(page);
    await advance(30_000);
    service.opened[0]?.write(': \n\n');
    await advance(30_000);
    expect([service.count, service.opened[0]?.signal.aborted]).toEqual([1, true]);
  });

  it('that is left holds no stream, and has one again when the browser takes it back', async () => {
    const service = createService();
    open(url, { fetch: service.fetch });
    await advance(0);
    events.dispatchEvent(new Event('pagehide'));
    await advance(0);
    expect(service.opened[0]?.signal.aborted).toBe(true);
    events.dispatchEvent(new Event('pageshow'));
    await advance(0);
    expect([service.count, service.opened[1]?.signal.aborted]).toEqual([2, false]);
  });

  it('whose client is closed while it is hidden opens nothing when it is shown', async () => {
    const service = createService();
    const client = open(url, { fetch: service.fetch });
    await show('hidden');
    client.close();
    await show('visible');
    events.dispatchEvent(new Event('pageshow'));
    await advance(120_000);
    expect([service.count, jest.getTimerCount()]).toEqual([1, 0]);
  });
});
