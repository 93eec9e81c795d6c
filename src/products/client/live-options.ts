import type { LiveList, LiveRecord, LiveState } from './apply-event.ts';
import type { Problem } from './stream.ts';

type GivenHeaders = NonNullable<RequestInit['headers']>;

/** Options of `live`. */
export interface LiveOptions<State = LiveState> {
  /**
   * Called with the state whenever it has changed, and once after each new connection, then with the same object if
   * nothing has changed meanwhile: it is in step again. Records that are the same as before are the same objects.
   */
  readonly onChange: (state: State) => void;
  /**
   * Called once when the service has refused the stream or has ended it for good: `unauthorized`, `forbidden`,
   * `not_found`, `invalid_query`, … It is not called after `close`.
   */
  readonly onEnd?: ((problem: Problem) => void) | undefined;
  /** Called when the stream breaks or no answer comes. It connects again by itself; `onChange` tells when it has. */
  readonly onError?: ((error: Error) => void) | undefined;
  /**
   * Headers, such as `Authorization`, or a function that is called for each connection. When the service has refused
   * the last ones or ended the stream with 401 or 403, it is called with that problem: a token may have expired, and
   * other headers than the refused ones are tried once before `onEnd`.
   *
   * @default none
   */
  readonly headers?: GivenHeaders | ((refused?: Problem) => GivenHeaders | Promise<GivenHeaders>) | undefined;
  /** Used instead of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /**
   * What tabs of a browser share one stream by. A text stands for everything that decides what the caller sees, such as
   * the id of the session: tabs with the same URL and the same text share a stream. `false`: this one is not shared.
   *
   * @default `Authorization` and all other `headers`; without `Authorization`, each tab has a stream of its own
   */
  readonly share?: string | false | undefined;
  /** Closes it when it aborts. */
  readonly signal?: AbortSignal | undefined;
}

/** A list or a record that is kept in step. */
export interface Live<State = LiveState> {
  /** The latest state; undefined before the first one. */
  readonly state: State | undefined;
  /** Ends it. No function is called any more. */
  close(): void;
}

type AnswerOf<Path> = Path extends { get: { responses: { 200: { content: { 'application/json': infer Json } } } } } ? Json : never;

/** The state of a path, by the `paths` that openapi-typescript writes. */
export type LiveStateOf<Paths, Path extends keyof Paths> =
  AnswerOf<Paths[Path]> extends infer Answer extends object
    ? Answer extends { data: readonly (infer Item)[]; page: infer Page }
      ? LiveList<Item, Page>
      : Answer extends { data: infer Item }
        ? LiveRecord<Item>
        : never
    : never;
