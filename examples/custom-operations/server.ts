import { join } from 'node:path';
import Koa from 'koa';
import { serve } from '../serve.ts';
import { createHelpdesk } from './api.ts';

const url = await serve({
  dbPath: join(import.meta.dirname, '.data'),
  async createApp(client) {
    const helpdesk = createHelpdesk(client.db('koa-mongo-resource-helpdesk'), (reporter, { title }) =>
      console.log(`${reporter}: "${title}" is closed`),
    );
    return new Koa().use(helpdesk.routes());
  },
});

console.log(`${url}/api/tickets, for reporters (Bearer ann) and agents (Bearer agent-bob)`);
