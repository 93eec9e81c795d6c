import { join } from 'node:path';
import { applyIndexes } from 'koa-mongo-resource';
import { serve } from '../serve.ts';
import { createBilling } from './api.ts';
import { importTasks } from './import-tasks.ts';
import { Task, User } from './model.ts';
import { hash } from './password.ts';

const url = await serve({
  dbPath: join(import.meta.dirname, '.data'),
  async createApi(client) {
    const db = client.db('koa-mongo-resource-billing');
    const billing = createBilling(db);
    await applyIndexes(billing);
    const users = billing.store(User);
    if ((await users.count({})) === 0) {
      await users.create({ email: 'ann@acme.example', password: await hash('correct horse'), tenant: 'acme' });
      await importTasks(db, 'acme', 'Design;90;done\nReview;30;done\nDeploy;45\n');
    }
    console.log(`${await billing.store(Task).count({})} tasks`);
    return billing;
  },
});

console.log(`Open ${url}/api/docs to try it, or call ${url}/api/tasks, for ann@acme.example with the password "correct horse".`);
