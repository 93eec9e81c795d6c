/** What the client uses of a page: the types of Node do not have it. */
interface Page {
  readonly document?: EventTarget & { readonly visibilityState: string };
  addEventListener?(name: string, listener: () => void): void;
  removeEventListener?(name: string, listener: () => void): void;
}

/** How long a tab may be hidden before it stops. */
const longestHidden = 60_000;

/**
 * Runs something while the page is shown. What it has begun stops by the signal when the page has been hidden for a
 * minute or is left, and begins again when the page is shown. Without a page it runs until it is ended.
 *
 * @returns what ends it
 */
export function whileShown(run: (stopped: AbortSignal) => void): () => void {
  const page = globalThis as Page;
  let running: AbortController | undefined;
  let hiding: ReturnType<typeof setTimeout> | undefined;

  function stop(): void {
    running?.abort();
    running = undefined;
  }

  function start(): void {
    if (running) return;
    running = new AbortController();
    run(running.signal);
  }

  function look(): void {
    clearTimeout(hiding);
    if (page.document?.visibilityState === 'hidden') hiding = setTimeout(stop, longestHidden);
    else start();
  }

  page.document?.addEventListener('visibilitychange', look);
  page.addEventListener?.('pagehide', stop); // a page that is kept for the back button holds no stream
  page.addEventListener?.('pageshow', look);
  start();
  look();
  return function end() {
    page.document?.removeEventListener('visibilitychange', look);
    page.removeEventListener?.('pagehide', stop);
    page.removeEventListener?.('pageshow', look);
    clearTimeout(hiding);
    stop();
  };
}
