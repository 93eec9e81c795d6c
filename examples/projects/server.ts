import { join } from 'node:path';
import { applyIndexes } from 'koa-mongo-resource';
import { serve } from '../serve.ts';
import { createProjects } from './api.ts';
import { seed } from './seed.ts';
import { sendWebhooks } from './send-webhooks.ts';

const url = await serve({
  dbPath: join(import.meta.dirname, '.data'),
  async createApi(client) {
    const db = client.db('koa-mongo-resource-projects');
    const api = createProjects(db);
    await applyIndexes(api);
    await seed(api);
    return api;
  },
  work: sendWebhooks,
});

console.log(`Open ${url}/api/docs to try it, or call ${url}/api/tasks?include=project, for the tokens ann-token (an admin) and ben-token.`);
