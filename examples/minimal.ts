import Koa from 'koa';
import { applyIndexes, defineModel, service, t } from 'koa-mongo-resource';
import { MongoClient } from 'mongodb';
import { startReplicaSet } from '../dev/replica-set.ts';

const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    title: t.string({ minLength: 1, policy: { filter: ['eq', 'prefix'], sort: true } }),
    done: t.boolean({ default: false, policy: { filter: true } }),
    revision: t.revision(),
    createdAt: t.createdAt({ policy: { sort: true } }),
  },
});

const { uri } = await startReplicaSet({ dbPath: `${import.meta.dirname}/.data` }); // or the MongoDB of MONGODB_URI
const db = new MongoClient(uri).db('koa-mongo-resource-minimal');

const notebook = service();
const api = notebook.api({ db, resources: [notebook.resource({ model: Note })] });

await applyIndexes(api); // what its filters and sorts need

const port = Number(process.env.PORT || 3000);
new Koa().use(api.routes()).listen(port, () => console.log(`http://localhost:${port}/notes`));
