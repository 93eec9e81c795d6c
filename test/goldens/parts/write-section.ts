import type { TestDatabase } from '../../support/database/database.ts';
import { recordCommands } from './record-commands.ts';
import { type Sent, send } from './send.ts';

/** Sends a request, and writes what it was, its status, and the commands that it has sent. `path` is how it is told. */
export async function writeSection(
  database: TestDatabase,
  api: Parameters<typeof send>[0],
  title: string,
  sent: Sent,
  path = sent.path,
): Promise<string> {
  let status = 0;
  const commands = await recordCommands(database, async () => {
    ({ status } = await send(api, sent));
  });
  const body = sent.body ? ` ${JSON.stringify(sent.body)}` : '';
  return `# ${title}\n${sent.method} ${decodeURIComponent(path)}${body}: ${status}\n${commands}\n`;
}
