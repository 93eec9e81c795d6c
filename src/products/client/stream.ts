import { readEvents } from './read-events.ts';

/** A problem document (RFC 9457) of the api, or what is known of an answer that has none. */
export interface Problem {
  readonly type?: string;
  readonly title: string;
  readonly status: number;
  readonly detail?: string;
  /** What programs decide by, such as `unauthorized`. Absent if the answer is not one of the api. */
  readonly code?: string;
}

/** An event of a live list or record. */
export interface LiveEvent {
  readonly name: string;
  readonly data: unknown;
  readonly id: string;
}

/** The stream has broken, or there was none: it is worth another try, `wait` milliseconds from now or later. */
export interface StreamError extends Error {
  readonly wait?: number;
}

/** What a stream tells. */
export interface StreamListener {
  onEvent(event: LiveEvent): void;
  /** In milliseconds. */
  onRetry(ms: number): void;
}

/** The service sends something every 15 seconds: after three of these without, a connection is dead. */
const silence = 45_000;

/** A day: what a timer can wait. */
const longestWait = 86_400_000;

/**
 * Opens one stream and reads it to its end. Gives the problem that it has ended with, or that it was refused for, and
 * rejects if another try is worth it.
 */
export async function readStream(
  send: typeof fetch,
  url: string,
  headers: Headers,
  signal: AbortSignal,
  { onEvent, onRetry }: StreamListener,
): Promise<Problem> {
  const connection = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let end: Problem | undefined;
  const read = readEvents(({ name, data, id }) => {
    const json = JSON.parse(data);
    if (name === 'end') end = json.problem;
    else if (!end) onEvent({ name, data: json, id });
  }, onRetry);
  function listen(): void {
    clearTimeout(timer);
    timer = setTimeout(() => connection.abort(new Error('The stream was silent for too long.')), silence);
  }
  const leave = () => connection.abort(); // `AbortSignal.any` keeps something of each connection in Node 20
  signal.addEventListener('abort', leave);
  try {
    signal.throwIfAborted();
    listen();
    const answer = await send(url, { headers, signal: connection.signal });
    if (!answer.ok || !answer.body || !/^text\/event-stream\b/.test(answer.headers.get('Content-Type') ?? '')) return await refusal(answer);
    const reader = answer.body.getReader();
    while (!end) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) throw new Error('The stream has broken off.');
      listen();
      read(value);
    }
    return end;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', leave);
    leave();
  }
}

/** The problem of an answer that is no stream, unless it may be one the next time. */
async function refusal(answer: Response): Promise<Problem> {
  const { status, statusText: title, ok } = answer;
  if (ok) return { status, title, code: 'not_live', detail: 'The answer is not a stream: the resource is not `live`.' };
  const told = (await answer.json().catch(() => undefined)) as Partial<Problem> | undefined;
  const problem: Problem = { title, ...told, status };
  if (!isForNow(problem)) return problem;
  throw Object.assign(new Error(problem.detail ?? `${status} ${problem.title}`, { cause: problem }), { wait: waitOf(answer) });
}

/** Whether the next try may have another answer: the service is busy, restarts, or ends a stream that has grown old. */
export function isForNow({ status }: Problem): boolean {
  return status === 408 || status === 429 || (status > 499 && status !== 501);
}

/** Whether another token may have another answer: one that has expired is 401, or 403 where a guard refuses nobody. */
export function isAboutCaller({ status }: Problem): boolean {
  return status === 401 || status === 403;
}

/** `Retry-After` (RFC 9110 §10.2.3): seconds or a date. */
function waitOf({ headers }: Response): number {
  const after = headers.get('Retry-After') ?? '0';
  return Math.max(0, Math.min(longestWait, Number(after) * 1000 || Date.parse(after) - Date.now() || 0));
}
