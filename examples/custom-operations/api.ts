import type Koa from 'koa';
import {
  type Api,
  checkPatch,
  cursorPaging,
  type Document,
  everything,
  findPage,
  jsonBody,
  listQuery,
  Problem,
  page,
  type RequestContext,
  record,
  scope,
  service,
  t,
  Unauthorized,
  update,
} from 'koa-mongo-resource';
import type { Db } from 'mongodb';
import { Ticket } from './model.ts';

interface User {
  readonly name: string;
  readonly isAgent: boolean;
  readonly isOfFinance?: boolean;
}

/** What is told to reporters; a real service sends mail. */
export type Notify = (reporter: string, ticket: Document<typeof Ticket>) => void;

/** The api without a server, for `server.ts` and for tests. */
export function createHelpdesk(db: Db, notify: Notify): Api<User> {
  // Who reads what of a ticket: the policies of its fields name these rules.
  const helpdesk = service({
    authenticate,
    rules: { agents: (user) => user.isAgent, finance: (user) => user.isOfFinance === true },
  });

  // Narrows the scope of the resource to what the caller has taken; what is written may leave it.
  const taken = scope(Ticket, (ctx: RequestContext<User>) => ({ assignee: ctx.requirePrincipal().name }), { writes: false });

  const tickets = helpdesk.resource({
    model: Ticket,
    ops: ['list', 'get', 'create', 'patch'],
    guards: [isSignedIn],
    guardsFor: {
      take: [isAgent],
      release: [isAgent],
      close: [isAgent],
      mine: [isAgent],
      stale: [isAgent],
      counts: [isAgent],
      export: [isAgent],
      aggregate: [isAgent],
    },
    export: { max: 50_000 }, // GET /tickets with `Accept: text/csv`: all of them as a table, for agents
    aggregate: true, // GET /tickets/aggregate?group=status,createdAt[week]&sum=costPrice: a report, for agents
    scope(ctx) {
      const { name, isAgent: seesAll } = ctx.requirePrincipal();
      return seesAll ? everything : { reporter: name };
    },
    serverFields: (ctx) => ({ reporter: ctx.requirePrincipal().name }),

    operations: {
      // POST /tickets/{id}/take: nothing is sent, and the record comes back. The second agent gets 409; of two at once,
      // one gets 412.
      take: {
        summary: 'Take the ticket',
        answer: 'record',
        async handler(ctx) {
          const ticket = await ctx.load();
          if (ticket.assignee !== null) {
            const detail = `${ticket.assignee} has taken the ticket already.`;
            throw new Problem({ status: 409, code: 'already_taken', title: 'Already taken', detail });
          }
          ticket.assignee = ctx.requirePrincipal().name;
          return ctx.save(ticket);
        },
      },

      // POST /tickets/{id}/release: made of the middlewares that a patch is made of, with the narrower scope. The
      // schema says what is sent, and the policies of the ticket are checked as for any patch.
      release: {
        summary: 'Give the ticket back, with notes for the next agent',
        answer: 'record',
        use: [
          taken,
          jsonBody({ limit: 2_000, schema: t.object('ReleaseTicket', { internalNotes: t.string({ maxLength: 500 }) }) }),
          checkPatch(Ticket, { serverFields: () => ({ assignee: null }) }),
          update(Ticket, { db }),
          record(),
        ],
      },

      // POST /tickets/{id}/close: the body is validated, and has its type.
      close: {
        summary: 'Close the ticket, and tell its reporter',
        use: [jsonBody({ schema: t.object('CloseTicket', { resolution: t.string({ minLength: 3 }) }) })],
        answer: 'record',
        async handler(ctx) {
          const ticket = await ctx.load();
          return ctx.save(Object.assign(ticket, { status: 'closed', resolution: ctx.request.body.resolution }));
        },
      },

      // POST /tickets/{id}/comments: adds to a list that clients cannot replace, because it holds what they may not
      // set.
      comment: {
        path: '/:id/comments',
        summary: 'Add a comment',
        use: [jsonBody({ schema: t.object('AddComment', { text: t.string({ minLength: 1, maxLength: 500 }) }) })],
        answer: 'record',
        async handler(ctx) {
          const ticket = await ctx.load();
          ticket.comments.push({ text: ctx.request.body.text, at: new Date(), by: ctx.requirePrincipal().name });
          return ctx.save(ticket);
        },
      },

      // GET /tickets/mine: made of the middlewares that a list is made of, with the narrower scope.
      mine: {
        method: 'GET',
        path: '/mine',
        summary: 'List the tickets that the caller has taken',
        use: [taken, listQuery(Ticket, cursorPaging(), { name: 'mine' }), findPage(Ticket, { db }), page()],
      },

      // GET /tickets/stale?days=7&assignee=bob,carol: parameters of its own, and records as the list shows them.
      stale: {
        method: 'GET',
        path: '/stale',
        summary: 'List the tickets that have been open for long, the oldest first',
        query: {
          days: t.int({ minimum: 1, maximum: 3650, default: 7, description: 'For how many days they have been open at least.' }),
          assignee: t.optional(t.array(t.string({ maxLength: 100 }), { minItems: 1, maxItems: 20, description: 'Whose tickets.' })),
          limit: t.int({ minimum: 1, maximum: 100, default: 20, description: 'How many at most.' }),
        },
        answer: 'records',
        handler(ctx) {
          const { days, assignee, limit } = ctx.typedQuery;
          const createdAt = { lt: new Date(Date.now() - days * 86_400_000) };
          const ofSome = assignee ? { assignee: { in: assignee } } : {};
          return ctx.store(Ticket).find({ status: 'open', createdAt, ...ofSome }, { sort: ['createdAt'], limit });
        },
      },

      // GET /tickets/counts: JSON of its own.
      counts: {
        method: 'GET',
        path: '/counts',
        summary: 'Count the tickets by status',
        answer: t.map(t.int()),
        async handler(ctx) {
          const [open, closed] = await Promise.all((['open', 'closed'] as const).map((status) => ctx.store(Ticket).count({ status })));
          return { open, closed };
        },
      },
    },

    after: { close: [(_ctx, ticket: Document<typeof Ticket>) => notify(ticket.reporter, ticket)] },
  });

  return helpdesk.api({
    db,
    prefix: '/api',
    resources: [tickets],
    title: 'Helpdesk',
    description: 'Tickets, and what is done with them.',
    contact: { name: 'The maintainers' },
    license: { name: 'MIT', identifier: 'MIT' },
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
  });
}

/** By their tokens: two reporters and three agents, one of them of finance. A real service verifies signed ones. */
const users: ReadonlyMap<string, User> = new Map([
  ['ann', { name: 'ann', isAgent: false }],
  ['eve', { name: 'eve', isAgent: false }],
  ['agent-bob', { name: 'bob', isAgent: true }],
  ['agent-carol', { name: 'carol', isAgent: true }],
  ['agent-fay', { name: 'fay', isAgent: true, isOfFinance: true }],
]);

/** `Authorization: Bearer ann`, or `Bearer agent-bob`. */
function authenticate(ctx: Koa.Context): User | undefined {
  return users.get(ctx.get('authorization').replace(/^Bearer /, ''));
}

function isSignedIn(ctx: RequestContext<User>): boolean {
  if (!ctx.principal) throw new Unauthorized('Sign in.', { 'www-authenticate': 'Bearer realm="helpdesk"' });
  return true;
}

function isAgent(ctx: RequestContext<User>): boolean {
  return ctx.principal?.isAgent === true;
}
