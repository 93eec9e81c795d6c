import { type Api, applyIndexes, defineModel, service, t } from 'koa-mongo-resource';
import type { Db } from 'mongodb';
import { serve } from './serve.ts';

const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    title: t.string({ minLength: 1, policy: { filter: ['eq', 'prefix'], sort: true } }),
    done: t.boolean({ default: false, policy: { filter: true } }),
    revision: t.revision(),
    createdAt: t.createdAt({ policy: { sort: true } }),
  },
});

export function createNotebook(db: Db): Api {
  const notebook = service();
  return notebook.api({
    db,
    resources: [notebook.resource({ model: Note })],
    // What the OpenAPI description says of the api; all of it may be left out.
    title: 'Notebook',
    description: 'Notes, and whether they are done.',
    contact: { name: 'The maintainers' },
    license: { name: 'MIT', identifier: 'MIT' },
  });
}

if (process.argv[1] === import.meta.filename) {
  const url = await serve({
    dbPath: `${import.meta.dirname}/.data`, // or the MongoDB of MONGODB_URI
    async createApi(client) {
      const notebook = createNotebook(client.db('koa-mongo-resource-minimal'));
      await applyIndexes(notebook); // what its filters and sorts need
      return notebook;
    },
  });
  console.log(`${url}/notes`);
}
