import createClient, { type Client, type ClientOptions } from 'openapi-fetch';
import type { components, paths } from './projects.d.ts';

type Task = components['schemas']['TaskRead'];

export function connectProjects(options: ClientOptions): Client<paths> {
  return createClient<paths>(options);
}

/** Gives a project one more member. */
export async function join(client: Client<paths>, id: string, memberId: string): Promise<number> {
  const { response } = await client.PUT('/api/projects/{id}/members/{other}', { params: { path: { id, other: memberId } } });
  return response.status;
}

/** Deletes a project with its tasks, and brings all of it back. */
export async function deleteAndRestore(client: Client<paths>, id: string): Promise<string> {
  const path = { id };
  await client.DELETE('/api/projects/{id}', { params: { path } });
  const { data, error } = await client.POST('/api/projects/{id}/restore', { params: { path } });
  if (error) throw new Error(error.detail ?? error.title);
  return data.data.name;
}

/** The tasks of open projects, each with its project. */
export async function tasksOfOpenProjects(client: Client<paths>): Promise<Task[]> {
  const { data, error } = await client.GET('/api/tasks', {
    params: { query: { 'project.status': 'open', sort: ['project.name'], include: ['project'] } },
  });
  if (error) throw new Error(error.detail ?? error.title);
  return data.data;
}
