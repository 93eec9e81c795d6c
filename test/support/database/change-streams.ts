import { type Db, Long } from 'mongodb';

/** The cursors of the change streams of a database that are open in mongod. */
export async function changeStreams(db: Db): Promise<Long[]> {
  const ofHere = {
    ns: new RegExp(`^${db.databaseName}\\.`),
    'cursor.originatingCommand.pipeline.$changeStream': { $exists: true },
  };
  const stages = [{ $currentOp: { allUsers: true, idleCursors: true } }, { $match: ofHere }];
  const found = await db.client.db('admin').aggregate(stages).toArray();
  return found.map(({ cursor }) => Long.fromString(String(cursor.cursorId))); // a small one comes as a number
}

/** Kills the cursors of all change streams of a database, as an administrator can; returns how many there were. */
export async function killChangeStreams(db: Db): Promise<number> {
  const cursors = await changeStreams(db);
  if (cursors.length === 0) return 0;
  const { cursorsKilled } = await db.command({ killCursors: '$cmd.aggregate', cursors });
  return cursorsKilled.length;
}
