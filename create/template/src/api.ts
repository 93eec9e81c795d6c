import { type Api, service } from 'koa-mongo-resource';
import type { Db } from 'mongodb';
import { Note } from './model.ts';

/** The server, the tests and `npx koa-mongo-resource` call it, each with a database of its own. */
export default function createApi(db: Db): Api {
  const app = service();
  const notes = app.resource({ model: Note });
  return app.api({ db, resources: [notes], prefix: '/api', title: 'my-app', docs: true, health: true });
}
