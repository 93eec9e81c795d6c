import { setTimeout as delay } from 'node:timers/promises';

/** What would keep the process alive, by its kind. */
const open = () => {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
};

let before = open();

/** A socket that is closed is gone later, on a busy machine by seconds. */
let patience = 10_000;

/** Lets a file leave open timers of others that end by themselves after so many milliseconds. */
export function waitForTimersOf(ms: number): void {
  patience = 10_000 + ms;
}

/** Runs after the last test of each file, and fails if the file has left a client, a server or a timer open. */
export async function expectNothingOpen(): Promise<void> {
  const end = performance.now() + patience;
  for (;;) {
    const left = [...open()].filter(([kind, count]) => count > (before.get(kind) ?? 0));
    if (left.length === 0) return;
    if (performance.now() > end) {
      before = open();
      throw new Error(`This file leaves open: ${left.map(([kind, count]) => `${count} ${kind}`).join(', ')}.`);
    }
    await delay(10);
  }
}
