import type { LiveEvent } from './stream.ts';

/** What the client uses of a browser: the types of Node do not have it. */
interface Browser {
  readonly navigator?: {
    readonly locks?: {
      request(name: string, options: { readonly signal: AbortSignal }, whileHeld: () => Promise<void>): Promise<void>;
    };
  };
  readonly location?: { readonly href: string };
}

/** What tabs tell each other. */
export interface Post {
  /** The number of a tab that asks for the state. */
  readonly from?: number;
  /** The number of the tab that is answered. @default every tab */
  readonly to?: number;
  readonly event?: LiveEvent;
  /** Why the stream has broken. */
  readonly error?: string;
}

/** A tab among those that share a stream. */
export interface Seat {
  readonly name: string;
  /** Resolves when it is the turn of this tab to have the stream; rejects when the signal aborts before. */
  readonly turn: Promise<void>;
  post(post: Post): void;
  leave(): void;
}

/**
 * The name that tabs share a stream by; undefined if this one is not shared. Without a `share`, only what
 * `Authorization` says decides who asks, and tabs share a stream if all of their headers are equal. Who a cookie stands
 * for is not to be seen, so streams without `Authorization` are not shared. Hashed, because every script of the origin
 * can read the names of locks.
 */
export async function nameOf(url: string, headers: Headers, share: string | false | undefined): Promise<string | undefined> {
  if (share === false || (share === undefined && !headers.has('authorization'))) return undefined;
  const { navigator, location } = globalThis as Browser;
  if (!navigator?.locks || !globalThis.BroadcastChannel) return undefined;
  const text = JSON.stringify([new URL(url, location?.href).href, share ?? [...headers]]);
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return `koa-mongo-resource/1:${Array.from(new Uint8Array(hash), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Joins the tabs that share a stream. One of them holds the lock: when it goes, another one gets it. */
export function takeSeat(name: string, signal: AbortSignal, onPost: (post: Post) => void): Seat {
  const channel = new BroadcastChannel(name);
  channel.onmessage = ({ data }) => onPost(data as Post);
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const turn = new Promise<void>((resolve, reject) => {
    (globalThis as Browser).navigator?.locks
      ?.request(name, { signal }, () => {
        resolve();
        return held;
      })
      .catch(reject);
  });
  return {
    name,
    turn,
    post: (post) => channel.postMessage(post),
    leave() {
      release();
      channel.close();
    },
  };
}
