import { type Api, type Database, type RequestContext, service } from 'koa-mongo-resource';
import { authenticate, type Caller, isAdmin, signedIn } from './authenticate.ts';
import { Comment, Member, Project, Task, Workspace, webhooks } from './model.ts';

/** The api without a server, for `server.ts` and for tests. */
export function createProjects(db: Database): Api<Caller> {
  const projects = service({ authenticate: (ctx) => authenticate(ctx, api.store(Member)) });
  const inWorkspace = (ctx: RequestContext<Caller>) => ({ workspace: ctx.requirePrincipal().workspaceId });
  const ofWorkspace = (ctx: RequestContext<Caller>) => ({ workspaceId: ctx.requirePrincipal().workspaceId });

  const api: Api<Caller> = projects.api({
    db,
    prefix: '/api',
    resources: [
      projects.resource({
        model: Workspace,
        ops: ['get', 'patch'],
        guards: [signedIn],
        guardsFor: { change: [isAdmin] },
        scope: (ctx) => ({ id: ctx.requirePrincipal().workspaceId }),
        include: ['projectCount', 'members'],
      }),
      projects.resource({
        model: Member,
        ops: ['list', 'get', 'patch', 'delete'],
        guards: [signedIn],
        guardsFor: { change: [isAdmin], remove: [isAdmin] },
        scope: ofWorkspace,
        scopeFields: ['workspaceId'],
        include: ['tasks', 'projects'],
        nested: ['tasks'], // GET /members/{id}/tasks
      }),
      projects.resource({
        model: Project,
        ops: ['list', 'get', 'create', 'patch', 'delete', 'restore'],
        guards: [signedIn],
        scope: ofWorkspace,
        scopeFields: ['workspaceId'],
        serverFields: ofWorkspace,
        include: ['members', 'tasks', 'tasks.assignee', 'taskCount'],
        nested: ['tasks'], // GET and POST /projects/{id}/tasks
        links: ['members'], // PUT and DELETE /projects/{id}/members/{member}
      }),
      projects.resource({
        model: Task,
        ops: ['list', 'get', 'create', 'patch', 'delete', 'restore'],
        guards: [signedIn],
        scope: inWorkspace,
        scopeFields: ['workspace'],
        serverFields: inWorkspace,
        include: ['project', 'assignee', 'parent', 'comments', 'comments.author', 'commentCount'],
        nested: ['comments'],
        history: true, // GET /tasks/{id}/history
        through: ['project', 'assignee'], // ?project.status=open&sort=project.name
      }),
      projects.resource({
        model: Comment,
        ops: ['list', 'get', 'create', 'delete'],
        guards: [signedIn],
        scope: inWorkspace,
        scopeFields: ['workspace'],
        serverFields: (ctx) => ({ ...inWorkspace(ctx), authorId: ctx.requirePrincipal().id }),
        include: ['author'],
      }),
      projects.resource({
        model: webhooks.model,
        operations: webhooks.operations, // POST /subscriptions/{id}/secret and /test
        guards: [signedIn, isAdmin],
        scope: inWorkspace,
        scopeFields: ['workspace'],
        serverFields: inWorkspace,
      }),
    ],
    docs: true,
    title: 'Projects',
    description: 'Workspaces with projects, tasks, members and comments.',
    contact: { name: 'The maintainers' },
    license: { name: 'MIT', identifier: 'MIT' },
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
  });
  return api;
}
