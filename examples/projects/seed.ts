import type { Api } from 'koa-mongo-resource';
import { Comment, Member, Project, Task, Workspace } from './model.ts';

/** Fills an empty database: one workspace with two members, a project, and a task with a comment. */
export async function seed(api: Pick<Api, 'store'>): Promise<void> {
  if ((await api.store(Workspace).count({})) > 0) return;
  const { id: workspaceId } = await api.store(Workspace).create({ id: 'acme', name: 'Acme' });
  const ann = await api.store(Member).create({ workspaceId, name: 'Ann', token: 'ann-token', isAdmin: true });
  const ben = await api.store(Member).create({ workspaceId, name: 'Ben', token: 'ben-token' });
  const site = await api.store(Project).create({ workspaceId, name: 'Site', memberIds: [ann.id, ben.id] });
  const task = await api.store(Task).create({ projectId: site.id, title: 'Design', assigneeId: ben.id, workspace: workspaceId });
  await api.store(Comment).create({ taskId: task.id, authorId: ann.id, text: 'Blue, please.', workspace: workspaceId });
}
