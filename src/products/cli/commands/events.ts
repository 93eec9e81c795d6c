import { ObjectId } from 'mongodb';
import type { Api } from '../../../index.ts';
import { defineCommand, status } from '../command.ts';
import { formatTable } from '../format-table.ts';
import { printable, printableJson } from '../printable.ts';
import { UsageError } from '../usage-error.ts';

type Queues = Awaited<ReturnType<Api['queues']>>;

/** A queue, as `--json` prints it. */
interface Findings {
  readonly collection: string;
  readonly pending: number;
  readonly dead: number;
  readonly delivered: number;
  readonly letters: readonly Letter[];
}

/** A dead letter, as `--json` prints it. */
interface Letter {
  readonly id: string;
  readonly type: string;
  readonly subject: string;
  readonly revision: number;
  readonly at: Date;
  readonly attempts: number;
  readonly lastError: string;
}

/** How many dead letters of a queue are shown. */
const mostShown = 100;

export const events = defineCommand({
  summary: 'Count the events of outboxes and webhooks, and show, release or skip dead letters',
  details: `Ends with 0 if there is no dead letter, with 1 if there are some, and with 2 if the command fails.
A dead letter holds back the later events of its record until it is released or skipped.`,
  options: {
    release: { type: 'string', value: 'id', text: 'let this dead letter be delivered again; `all` releases all of them' },
    skip: { type: 'string', value: 'id', text: 'give this dead letter up, and go on with the next event of its record' },
    json: { type: 'boolean', text: 'print JSON' },
  },
  needsDatabase: true,
  async run({ load, values: { release, skip, json = false }, write, writeExactly, tell }) {
    if (release !== undefined && skip !== undefined) throw new UsageError('Give --release or --skip, not both.');
    const [released, skipped] = [release === undefined || release === 'all' ? undefined : readId(release), skip && readId(skip)];
    const { api } = await load();
    const queues = await api.queues();
    if (queues.length === 0) throw new UsageError('No model of the api has an `outbox`.');
    if (release !== undefined) tell(`Released: ${await releaseIn(queues, released)}.`);
    if (skipped) await skipIn(queues, skipped);
    const found = await Promise.all(queues.map(findingsOf));
    if (json) writeExactly(`${printableJson({ queues: found })}\n`);
    else write(`${found.map(format).join('\n\n')}\n`);
    return found.some(({ dead }) => dead > 0) ? status.found : status.good;
  },
});

/** The id of an event, or that of an event and a subscription, which is a text. */
function readId(text: string): ObjectId | string {
  if (/^[0-9a-f]{24}:/.test(text)) return text;
  if (/^[0-9a-f]{24}$/i.test(text)) return ObjectId.createFromHexString(text);
  throw new UsageError(`${JSON.stringify(text)} is not the id of a dead letter, which begins with 24 hexadecimal digits.`);
}

async function releaseIn(queues: Queues, id: ObjectId | string | undefined): Promise<number> {
  const counts = await Promise.all(queues.map(({ letters }) => letters.release(id)));
  const count = counts.reduce((sum, one) => sum + one, 0);
  if (id && count === 0) throw noSuchLetter(id);
  return count;
}

/** Asks all queues: an id does not say which one has it, and no two have the same. */
async function skipIn(queues: Queues, id: ObjectId | string): Promise<void> {
  const skipped = await Promise.all(queues.map(({ letters }) => letters.skip(id))); // which gives a dead letter up, if it is there
  if (!skipped.includes(true)) throw noSuchLetter(id);
}

function noSuchLetter(id: ObjectId | string): UsageError {
  return new UsageError(`There is no dead letter ${id}.`);
}

async function findingsOf({ collection, letters }: Queues[number]): Promise<Findings> {
  const [counts, dead] = await Promise.all([letters.count(), letters.findDead(mostShown)]);
  const shown = dead.map(({ _id, type, subject, revision, at, attempts = 0, lastError = '' }) => {
    return { id: String(_id), type, subject, revision: Number(revision), at, attempts, lastError };
  });
  return { collection, ...counts, letters: shown };
}

function format({ collection, pending, dead, delivered, letters }: Findings): string {
  const rows = letters.map(({ id, type, subject, at, attempts, lastError }) => [
    id,
    type,
    subject,
    at.toISOString(),
    `${attempts}`,
    lastError,
  ]);
  return [
    printable(`${collection}: ${pending} pending, ${dead} dead, ${delivered} delivered`),
    ...(rows.length > 0 ? [formatTable([['dead letter', 'type', 'subject', 'at', 'attempts', 'last error'], ...rows])] : []),
    ...(dead > rows.length ? [`  There are ${dead - rows.length} more.`] : []),
  ].join('\n');
}
