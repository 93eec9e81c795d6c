import type { CommandStartedEvent, Document, MongoClient, Timestamp } from 'mongodb';
import type { Sent } from '../judge.ts';
import { isToken, things } from './things.ts';

/** Hears of every write that the driver hands to a connection, from now on. */
export function watchSent(client: MongoClient): Sent[] {
  const sent: Sent[] = [];
  client.on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
    if (!['insert', 'findAndModify'].includes(commandName)) return;
    const at = performance.now();
    for (const token of new Set(tokensIn(command))) sent.push({ token, at });
  });
  return sent;
}

function tokensIn(value: unknown): string[] {
  if (isToken(value)) return [value];
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return [];
  return Object.values(value).flatMap(tokensIn);
}

/**
 * Reads what the database has carried out since this was made: of the oplog, which holds each write as often as it
 * happened.
 */
export interface Oplog {
  applied(): Promise<string[]>;
}

export async function openOplog(admin: MongoClient, database: string): Promise<Oplog> {
  const entries = () => admin.db('local').collection<{ ts: Timestamp }>('oplog.rs');
  const [last] = await entries().find().sort({ $natural: -1 }).limit(1).toArray();
  if (!last) throw new Error('the oplog is empty');
  return {
    async applied() {
      const since = { ts: { $gt: last.ts }, ns: `${database}.${things}`, op: { $in: ['i', 'u', 'd'] } };
      return (await entries().find(since).toArray()).flatMap(tokenOf);
    },
  };
}

/** The mark of the write that an entry tells of; none where a test has made its records. */
function tokenOf({ op, o }: Document): string[] {
  const token = op === 'd' ? o._id : (o.token ?? o.diff?.u?.token ?? o.diff?.i?.token);
  return isToken(token) ? [token] : [];
}
