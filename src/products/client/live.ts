import { applyEvent, type LiveState } from './apply-event.ts';
import type { Live, LiveOptions, LiveStateOf } from './live-options.ts';
import { nameOf, type Post, type Seat, takeSeat } from './share.ts';
import { isAboutCaller, isForNow, type LiveEvent, type Problem, readStream, type StreamError } from './stream.ts';
import { whileShown } from './while-shown.ts';

export type { AnyRecord, LiveList, LiveRecord, LiveState, Page } from './apply-event.ts';
export type { Live, LiveOptions, LiveStateOf } from './live-options.ts';
export type { Problem } from './stream.ts';

/** The longest pause between two tries. */
const longestPause = 30_000;

/** After a longer wait for its turn, a tab asks for fresh headers. */
const freshFor = 1000;

/**
 * Keeps a list or a record in step with a resource that is `live`. It connects again by itself, after a random time
 * that grows up to 30 seconds, and asks only for what has changed meanwhile. A tab that has been hidden for a minute
 * closes the stream until it is shown again, and tabs of the same caller share one stream for each URL.
 *
 * @param url of the list with its query, or of the record
 * @example
 * const orders = live<paths, '/api/orders'>('/api/orders?status=open', {
 *   headers: async () => ({ Authorization: `Bearer ${await freshToken()}` }),
 *   onChange: ({ data }) => show(data),
 *   onEnd: ({ code }) => code === 'unauthorized' && signIn(),
 * });
 * orders.close();
 */
export function live<State = LiveState>(url: string, options: LiveOptions<State>): Live<State>;
export function live<Paths, Path extends keyof Paths>(
  url: string,
  options: LiveOptions<LiveStateOf<Paths, Path>>,
): Live<LiveStateOf<Paths, Path>>;
export function live(url: string, options: LiveOptions<never>): Live<never> {
  const { fetch: send = fetch, headers, share, onChange, onEnd, onError, signal } = options;
  const me = Math.random(); // among the tabs that share a stream
  let state: LiveState | undefined;
  /** The id of the event that has made `state`. */
  let lastId = '';
  /** Whether the next change is one of `state`. */
  let isInStep = false;
  let retry = 1000;
  let failures = 0;
  let isClosed = false;
  /** Why the service has refused the last headers, if others may help, and these headers. */
  let refused: Problem | undefined;
  let refusedHeaders: string | undefined;

  /** What the function throws is not ours. */
  function tell<Value>(callback: ((value: Value) => void) | undefined, value: Value): void {
    queueMicrotask(() => {
      if (!isClosed) callback?.(value);
    });
  }

  function receive({ name, data, id }: LiveEvent): void {
    if (name === 'change' ? !isInStep : name === 'same' && id !== lastId) throw new Error('The stream goes on from another state.');
    const next = applyEvent(state, name, data);
    if (!next) return; // an event of a later version
    state = next;
    lastId = id;
    isInStep = true;
    tell(onChange, state as never);
  }

  /** Connects again and again until it is stopped. */
  async function run(stopped: AbortSignal): Promise<void> {
    let seat: Seat | undefined;
    let isLeading = false;

    function onEvent(event: LiveEvent): void {
      try {
        receive(event);
      } catch (error) {
        lastId = ''; // the next stream begins with the whole state
        throw error;
      }
      failures = 0;
      refused = undefined;
      seat?.post({ event });
    }

    function onPost({ from, to = me, event, error }: Post): void {
      if (isLeading) {
        if (from !== undefined && state && lastId)
          seat?.post({ to: from, event: { name: Array.isArray(state.data) ? 'page' : 'record', data: state, id: lastId } });
      } else if (error !== undefined) tell(onError, new Error(error));
      else if (event && to === me) {
        try {
          receive(event);
        } catch {
          seat?.post({ from: me });
        }
      }
    }

    /** Waits until it is this tab's turn. Gives the headers for the stream, or undefined if they are too old by now. */
    async function takeTurn(): Promise<Headers | undefined> {
      const begun = Date.now();
      const given = new Headers(typeof headers === 'function' ? await headers(refused) : headers);
      const name = await nameOf(url, given, share);
      stopped.throwIfAborted();
      if (name === seat?.name) return given;
      seat?.leave();
      seat = undefined;
      isLeading = isInStep = false;
      if (!name) return given;
      seat = takeSeat(name, stopped, onPost);
      seat.post({ from: me });
      await seat.turn.catch(() => stopped.throwIfAborted()); // where locks are forbidden, every tab has its turn
      isLeading = true;
      return Date.now() - begun < freshFor ? given : undefined;
    }

    while (!stopped.aborted) {
      let wait = 0;
      try {
        const given = await takeTurn();
        if (!given) continue;
        const asText = JSON.stringify([...given]);
        if (refused && asText === refusedHeaders) {
          conclude(refused);
          break;
        }
        given.set('Accept', 'text/event-stream');
        if (lastId) given.set('Last-Event-ID', lastId);
        isInStep = false;
        const problem = await readStream(send, url, given, stopped, {
          onEvent,
          onRetry(ms) {
            retry = Math.max(1, ms); // no pause would never grow
          },
        });
        if (!refused && typeof headers === 'function' && isAboutCaller(problem)) {
          refused = problem;
          refusedHeaders = asText;
        } else if (!isForNow(problem)) conclude(problem);
      } catch (thrown) {
        if (stopped.aborted) break;
        const error: StreamError = thrown instanceof Error ? thrown : new Error('The stream could not be opened.', { cause: thrown });
        wait = error.wait ?? 0;
        tell(onError, error);
        seat?.post({ error: error.message });
      }
      await sleep(wait + Math.random() * Math.min(longestPause, retry * 2 ** failures++), stopped);
    }
    seat?.leave();
  }

  function conclude(problem: Problem): void {
    finish();
    tell(onEnd, problem);
  }

  function finish(): void {
    signal?.removeEventListener('abort', close);
    end();
  }

  function close(): void {
    isClosed = true;
    finish();
  }

  const end = signal?.aborted ? () => {} : whileShown((stopped) => void run(stopped));
  signal?.addEventListener('abort', close);
  return {
    get state() {
      return state as never;
    },
    close,
  };
}

/** Resolves after a time, or when the signal aborts. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    function wake(): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      resolve();
    }
    const timer = setTimeout(wake, ms);
    signal.addEventListener('abort', wake);
    if (signal.aborted) wake();
  });
}
