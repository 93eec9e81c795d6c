import { useCommands } from '../database/commands.ts';
import { useDatabase } from '../database/database.ts';
import { LiveStream } from '../http/live-stream.ts';
import { useServer } from '../http/serve.ts';

/**
 * Gives a test file what live lists need: a database whose commands are counted, a server, and streams that are closed
 * after each test, when these collections are emptied.
 */
export function useLive(...collections: readonly string[]) {
  const database = useDatabase({ monitorCommands: true });
  const commands = useCommands(database);
  const serve = useServer();
  const open: LiveStream[] = [];
  afterEach(async () => {
    for (const stream of open.splice(0)) stream.close();
    for (const name of collections) await database.db.collection(name).deleteMany({});
  });
  return {
    database,
    commands,
    serve,
    /** Opens a stream, which may not have begun yet. */
    begin(port: number, path: string, headers: object = {}): LiveStream {
      const stream = new LiveStream(port, path, { ...headers });
      open.push(stream);
      return stream;
    },
  };
}
