import { rounds } from '../fuzzing/rounds.ts';

let limit = 120_000; // a net for hung tests on slow machines: no test asserts a time

/** The milliseconds that each test and hook of the suite may take that says nothing else. `ROUNDS` gives all more. */
export function limitTests(ms: number): void {
  limit = ms;
}

const { setTimeout, clearTimeout } = globalThis; // of the real clock: tests replace it

/** Fails when a test or a hook does not end in time. */
export async function withinLimit(run: () => unknown, what: string, given: number = limit): Promise<void> {
  const ms = given * Math.max(1, rounds);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms.`)), ms);
  });
  try {
    await Promise.race([run(), late]);
  } finally {
    clearTimeout(timer);
  }
}
