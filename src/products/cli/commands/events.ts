import { ObjectId } from 'mongodb';
import type { Api } from '../../../index.ts';
import { defineCommand, status } from '../command.ts';
import { formatTable } from '../format-table.ts';
import { printable, printableJson } from '../printable.ts';
import { UsageError } from '../usage-error.ts';

type Outboxes = Awaited<ReturnType<Api['outboxes']>>;

/** An outbox, as `--json` prints it. */
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

/** How many dead letters of an outbox are shown. */
const mostShown = 100;

export const events = defineCommand({
  summary: 'Count the events of the outboxes, and show, release or skip dead letters',
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
    const outboxes = await api.outboxes();
    if (outboxes.length === 0) throw new UsageError('No model of the api has an `outbox`.');
    if (release !== undefined) tell(`Released: ${await releaseIn(outboxes, released)}.`);
    if (skipped) await skipIn(outboxes, skipped);
    const found = await Promise.all(outboxes.map(findingsOf));
    if (json) writeExactly(`${printableJson({ outboxes: found })}\n`);
    else write(`${found.map(format).join('\n\n')}\n`);
    return found.some(({ dead }) => dead > 0) ? status.found : status.good;
  },
});

function readId(text: string): ObjectId {
  if (/^[0-9a-f]{24}$/i.test(text)) return ObjectId.createFromHexString(text);
  throw new UsageError(`${JSON.stringify(text)} is not the id of an event: it has 24 hexadecimal digits.`);
}

async function releaseIn(outboxes: Outboxes, id: ObjectId | undefined): Promise<number> {
  const counts = await Promise.all(outboxes.map(({ letters }) => letters.release(id)));
  const count = counts.reduce((sum, one) => sum + one, 0);
  if (id && count === 0) throw noSuchLetter(id);
  return count;
}

/** Asks all outboxes: an id does not say which one has it, and no two have the same. */
async function skipIn(outboxes: Outboxes, id: ObjectId): Promise<void> {
  const skipped = await Promise.all(outboxes.map(({ letters }) => letters.skip(id)));
  if (!skipped.includes(true)) throw noSuchLetter(id);
}

function noSuchLetter(id: ObjectId): UsageError {
  return new UsageError(`There is no dead letter ${id}.`);
}

async function findingsOf({ collection, letters }: Outboxes[number]): Promise<Findings> {
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
    ...(rows.length > 0 ? [formatTable([['dead letter', 'type', 'subject', 'at', 'attempts', 'last error'], ...rows], '  ')] : []),
    ...(dead > rows.length ? [`  There are ${dead - rows.length} more.`] : []),
  ].join('\n');
}
