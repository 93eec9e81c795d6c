import { defineModel, t } from 'koa-mongo-resource';
import type { Caller } from './authenticate.ts';

/** Every record belongs to one tenant, which the server sets. */
const tenant = t.string({ policy: { insert: false, update: false } });

export const User = defineModel('User', {
  collection: 'users',
  fields: {
    // Unique among all tenants, because a user signs in by it: a 409 tells one tenant that another one has the user.
    email: t.string({ format: 'email', unique: true, immutable: true, policy: { filter: ['eq'] } }),
    // What clients send is a password; what is stored is its hash, which nobody reads.
    password: t.string({ minLength: 8, maxLength: 200, policy: { private: true, insert: true, update: true } }),
    tenant,
    revision: t.revision(),
  },
});

export const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    title: t.string({ minLength: 1, maxLength: 200, policy: { filter: ['eq', 'prefix'], sort: true } }),
    status: t.enum(['open', 'done'], { default: 'open', policy: { filter: ['eq'] } }),
    minutes: t.int({ minimum: 1, maximum: 100_000 }),
    invoice: t.nullable(t.ref('Invoice'), { policy: { insert: false, update: false, filter: ['eq'] } }),
    tenant,
    revision: t.revision(),
    updatedAt: t.updatedAt(),
  },
});

const Line = t.object('Line', { title: t.string(), minutes: t.int() });

export const Invoice = defineModel('Invoice', {
  collection: 'invoices',
  fields: {
    number: t.int({ policy: { insert: false, update: false, filter: true, sort: true } }),
    customer: t.string({ minLength: 1, maxLength: 200, policy: { filter: ['eq', 'prefix'] } }),
    status: t.enum(['draft', 'sent', 'paid'], { default: 'draft', policy: { insert: false, filter: ['eq', 'in'] } }),
    lines: t.array(Line, { policy: { insert: false, update: false } }),
    total: t.decimal({ policy: { insert: false, update: false } }),
    updatedBy: t.nullable(t.string({ policy: { insert: false, update: false } })),
    tenant,
    revision: t.revision(),
    createdAt: t.createdAt({ policy: { sort: true } }),
  },
  indexes: [{ fields: ['tenant', 'number'], unique: true }],
  // Who has changed what, and when: an entry exists if, and only if, its change does.
  history: { scopeFields: ['tenant'], by: ({ principal }) => (principal as Caller).email },
});

/** The number of each tenant's last invoice: numbers have no gaps. */
export const Counter = defineModel('Counter', {
  collection: 'counters',
  fields: { id: t.string(), last: t.int(), revision: t.revision() },
});
