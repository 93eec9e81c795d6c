import { type Database, openStore } from 'koa-mongo-resource';
import { Task } from './model.ts';

/** A row that was not imported, counted from 1, and why. */
export interface Refused {
  readonly row: number;
  readonly reason: string;
}

/** Imports the tasks of a tenant from lines of `title;minutes;status`. The store validates each, as the api would. */
export async function importTasks(db: Database, tenant: string, text: string): Promise<readonly Refused[]> {
  const rows = text.split('\n').filter((line) => line !== '');
  const created = await openStore(Task, { db }).createMany(
    rows.map((line) => {
      const [title = '', minutes, status = 'open'] = line.split(';');
      return { title, minutes: Number(minutes), status: status as 'open', tenant };
    }),
  );
  return created.flatMap(({ error }, index) => (error ? [{ row: index + 1, reason: error.message }] : []));
}
