import type { Api, Document } from 'koa-mongo-resource';
import { Comment, Member } from './model.ts';

/** Removes for good what a member has written, and who it was from everything that is kept of changes. */
export async function forgetMember(api: Pick<Api, 'store' | 'forgetActor'>, id: Document<typeof Member>['id']): Promise<void> {
  const comments = api.store(Comment, { scope: { authorId: id } });
  await comments.removeMany({}, { max: 100_000 });
  await comments.purge({ olderThan: 0, max: 100_000 }); // with their events, and what webhooks keep of these
  await api.store(Member).remove(id); // which takes the member from projects and tasks
  await api.forgetActor(String(id));
}
