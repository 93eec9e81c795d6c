import type { Api, Database, Document } from 'koa-mongo-resource';
import { Comment, Member, webhooks } from './model.ts';

/** Removes for good what a member has written, and who it was from everything that is kept of changes. */
export async function forgetMember(
  api: Pick<Api, 'store' | 'forgetActor'>,
  db: Database,
  id: Document<typeof Member>['id'],
): Promise<void> {
  const comments = api.store(Comment, { scope: { authorId: id } });
  const ids = (await comments.find({})).map((comment) => comment.id);
  await comments.removeMany({}, { max: 100_000 });
  await comments.purge({ olderThan: 0, max: 100_000 }); // with their events
  await api.store(Member).remove(id); // which takes the member from projects and tasks
  await api.forgetActor(String(id));
  await webhooks.erase({ db, model: Comment, ids });
  await webhooks.forgetActor(db, String(id));
}
