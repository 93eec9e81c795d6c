import { type History, summarize } from '../judge.ts';

/**
 * With `FAULT_REPORT=1`: what writes were answered in a test, and how many of them were carried out, as a line on
 * standard error.
 */
export function report(history: History): void {
  if (process.env.FAULT_REPORT) process.stderr.write(`${expect.getState().currentTestName}: ${JSON.stringify(summarize(history))}\n`);
}
