import { join } from 'node:path';
import { serve } from '../serve.ts';
import { createHelpdesk } from './api.ts';

const url = await serve({
  dbPath: join(import.meta.dirname, '.data'),
  async createApi(client) {
    return createHelpdesk(client.db('koa-mongo-resource-helpdesk'), (reporter, { title }) =>
      console.log(`${reporter}: "${title}" is closed`),
    );
  },
});

console.log(`${url}/api/tickets, for reporters (Bearer ann) and agents (Bearer agent-bob)`);
