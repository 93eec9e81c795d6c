import {
  type Api,
  type Database,
  type Document,
  everything,
  jsonBody,
  Problem,
  type RequestContext,
  service,
  type TransactionContext,
  t,
} from 'koa-mongo-resource';
import { authenticateBy, type Caller, signedIn } from './authenticate.ts';
import { Counter, Invoice, Task, User } from './model.ts';
import { hash } from './password.ts';

const centsPerMinute = 150;

/** The api without a server, for `server.ts` and for tests. */
export function createBilling(db: Database): Api<Caller> {
  const billing = service({ authenticate: authenticateBy(db) });
  const ownTenant = (ctx: RequestContext<Caller>) => ({ tenant: ctx.requirePrincipal().tenant });

  const users = billing.resource({
    model: User,
    ops: ['list', 'get', 'create', 'patch'],
    guards: [signedIn],
    scope: ownTenant,
    serverFields: ownTenant,
    // Between the validation of what was sent and the write: what is stored is the hash.
    before: { create: [hashPassword], change: [hashPassword] },
  });

  const tasks = billing.resource({
    model: Task,
    // PATCH /tasks?status=open changes many records in one transaction.
    ops: ['list', 'get', 'create', 'patch', 'delete', 'patchMany'],
    guards: [signedIn],
    scope: ownTenant,
    scopeFields: ['tenant'],
    serverFields: ownTenant,
    // In the transaction of the delete, so that no bill can come in between.
    within: {
      remove: [
        (_ctx, { before }) => {
          if (before.invoice)
            throw new Problem({ status: 409, code: 'billed', title: 'Already billed', detail: 'The task is on an invoice.' });
        },
      ],
    },
  });

  const invoices = billing.resource({
    model: Invoice,
    ops: ['list', 'get', 'patch'],
    guards: [signedIn],
    scope: ownTenant,
    scopeFields: ['tenant'],
    serverFields: { update: (ctx) => ({ updatedBy: ctx.requirePrincipal().email }) },
    history: true, // GET /invoices/{id}/history, and GET /invoices/{id}?at=0
    operations: {
      bill: {
        path: '/bill',
        summary: 'Make an invoice of finished tasks',
        use: [
          jsonBody({
            schema: t.object('Bill', {
              customer: t.string({ minLength: 1, maxLength: 200 }),
              tasks: t.array(t.ref('Task'), { minItems: 1, maxItems: 100, uniqueItems: true }),
            }),
          }),
        ],
        status: 201,
        answer: 'record',
        problems: ['duplicate_key', 'validation_failed', 'replica_set_required'],
        handler: (ctx) => {
          const { customer, tasks: ids } = ctx.request.body;
          const { tenant } = ctx.requirePrincipal();
          // The invoice, its number and its tasks: all of them, or none. Two bills of one task at once make one
          // invoice.
          return ctx.transaction(async (tx) => {
            const tasks = tx.store(Task); // those of the tenant: a store has the scope of its model's resource
            const billed = await tasks.find({ id: { in: ids }, status: 'done', invoice: null }, { sort: ['title'] });
            if (billed.length < ids.length) throw notBillable();
            const invoice = await tx.store(Invoice).create({
              number: await nextNumber(tx, tenant),
              customer,
              lines: billed.map(({ title, minutes }) => ({ title, minutes })),
              total: toAmount(billed),
              tenant,
            });
            await tasks.updateMany({ id: { in: ids } }, { invoice: invoice.id });
            return invoice;
          });
        },
      },
    },
  });

  return billing.api({
    db,
    prefix: '/api',
    resources: [users, tasks, invoices],
    batch: true, // POST /api/batch: several writes, all or nothing
    idempotency: { principal: (ctx) => ctx.requirePrincipal().email }, // a client that got no answer may repeat its request
    docs: true,
    title: 'Billing',
    description: 'Tasks, and the invoices that are made of them.',
    contact: { name: 'The maintainers' },
    license: { name: 'MIT', identifier: 'MIT' },
    securitySchemes: { basic: { type: 'http', scheme: 'basic' } },
  });
}

async function hashPassword(_ctx: unknown, draft: { password?: string | undefined }): Promise<void> {
  if (draft.password !== undefined) draft.password = await hash(draft.password);
}

/**
 * The next number of a tenant's invoices. Two transactions that ask at once do not get the same: one of them is tried
 * again.
 */
async function nextNumber(tx: TransactionContext, tenant: string): Promise<number> {
  const counters = tx.store(Counter, { scope: everything }); // no resource serves them
  const [counter] = await counters.find({ id: tenant });
  if (!counter) return (await counters.create({ id: tenant, last: 1 })).last;
  counter.last += 1;
  return (await counters.save(counter)).last;
}

function toAmount(tasks: readonly Document<typeof Task>[]): string {
  const cents = tasks.reduce((sum, { minutes }) => sum + minutes * centsPerMinute, 0);
  return (cents / 100).toFixed(2);
}

function notBillable(): Problem {
  const detail = 'A task does not exist, is not done, or is on an invoice already.';
  return new Problem({ status: 409, code: 'not_billable', title: 'Not billable', detail });
}
