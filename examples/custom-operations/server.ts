import { join } from 'node:path';
import { applyIndexes } from 'koa-mongo-resource';
import { serve } from '../serve.ts';
import { createHelpdesk } from './api.ts';

const url = await serve({
  dbPath: join(import.meta.dirname, '.data'),
  async createApi(client) {
    const helpdesk = createHelpdesk(client.db('koa-mongo-resource-helpdesk'), (reporter, { title }) =>
      console.log(`${reporter}: "${title}" is closed`),
    );
    await applyIndexes(helpdesk); // a search needs its text index
    return helpdesk;
  },
});

console.log(`${url}/api/tickets, for reporters (Bearer ann) and agents (Bearer agent-bob)`);
