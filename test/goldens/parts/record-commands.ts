import { setImmediate as turn } from 'node:timers/promises';
import type { CommandFailedEvent, CommandStartedEvent, CommandSucceededEvent } from 'mongodb';
import type { TestDatabase } from '../../support/database/database.ts';
import { until } from '../../support/until.ts';
import { normalise } from './normalise.ts';
import { writeCommand } from './write-command.ts';

interface Sent {
  readonly name: string;
  readonly text: string;
  /** Whether another command was on its way when this one was sent. */
  readonly isBesideAnother: boolean;
  failure?: string;
}

const reads: ReadonlySet<string> = new Set(['find', 'aggregate', 'count', 'distinct', 'getMore']);

/** Writes down the commands that a function has sent. The database needs `monitorCommands: true`. */
export async function recordCommands({ client }: TestDatabase, run: () => Promise<unknown>): Promise<string> {
  const sent: Sent[] = [];
  const open = new Map<number, Sent>();
  const started = ({ commandName: name, command, requestId }: CommandStartedEvent) => {
    const one = { name, text: writeCommand(name, command), isBesideAnother: open.size > 0 };
    sent.push(one);
    open.set(requestId, one);
  };
  const succeeded = ({ requestId }: CommandSucceededEvent) => void open.delete(requestId);
  const failed = ({ requestId, failure }: CommandFailedEvent) => {
    const one = open.get(requestId);
    if (one) one.failure = `${(failure as { readonly code?: unknown }).code ?? failure.name}`;
    open.delete(requestId);
  };
  client.on('commandStarted', started).on('commandSucceeded', succeeded).on('commandFailed', failed);
  try {
    await run();
    await turn(); // what is sent after the answer, without being waited for
    await until(() => open.size === 0);
  } finally {
    client.off('commandStarted', started).off('commandSucceeded', succeeded).off('commandFailed', failed);
  }
  return normalise(inOneOrder(sent).join('\n'));
}

/**
 * Reads that are sent at the same time come in the order of their texts, and so do those that follow one of them: which
 * of them is first is not the same in each run.
 */
function inOneOrder(sent: readonly Sent[]): string[] {
  const second = sent.findIndex(({ isBesideAnother }) => isBesideAnother);
  if (second === -1) return sent.map(textOf);
  const from = second - 1;
  const end = sent.findIndex((one, index) => index >= from && !reads.has(one.name));
  const to = end === -1 ? sent.length : end;
  if (to <= second)
    throw new Error(`recordCommands(): a write is sent at the same time as another command: ${sent.map(textOf).join('\n')}`);
  const [before, together, after] = [sent.slice(0, from), sent.slice(from, to), sent.slice(to)];
  return [...before.map(textOf), 'at the same time:', ...together.map(textOf).sort(), ...inOneOrder(after)];
}

function textOf({ text, failure }: Sent): string {
  return failure ? `${text}\n  fails: ${failure}` : text;
}
