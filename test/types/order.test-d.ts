import type { Decimal128, ObjectId } from 'mongodb';
import { defineModel } from '../../src/model/define/define-model.ts';
import type { Create, Document, Patch, Read } from '../../src/model/define/infer.ts';
import { t } from '../../src/model/define/t.ts';
import { assert, type Equal } from './equal.ts';

// The example of the design, with the types that a user gets from it.
const Address = t.object('Address', {
  street: t.string(),
  city: t.string({ policy: { filter: ['eq'] } }),
  verifiedBy: t.optional(t.string({ policy: { private: true } })),
});

const Order = defineModel('Order', {
  collection: 'orders',
  fields: {
    number: t.string({ immutable: true, policy: { filter: ['eq', 'prefix'], sort: true } }),
    status: t.enum(['open', 'paid', 'sent'], { default: 'open', policy: { insert: false, filter: ['eq', 'in'] } }),
    total: t.decimal({ policy: { filter: ['gte', 'lt'], sort: true } }),
    shipTo: t.nullable(Address, { storeNone: true, policy: { update: false } }),
    customerId: t.ref('Customer', { as: 'customer', policy: { filter: true } }),
    owner: t.string({ policy: { insert: false, update: false } }),
    revision: t.revision(),
    createdAt: t.createdAt({ policy: { sort: true } }),
    updatedAt: t.updatedAt(),
  },
});

type Status = 'open' | 'paid' | 'sent';

assert<
  Equal<
    Document<typeof Order>,
    {
      id: ObjectId;
      number: string;
      status: Status;
      total: Decimal128;
      shipTo: { street: string; city: string; verifiedBy?: string } | null;
      customerId: ObjectId;
      owner: string;
      revision: number;
      createdAt: Date;
      updatedAt: Date;
    }
  >
>();

assert<
  Equal<
    Read<typeof Order>,
    {
      id: string;
      readonly number: string;
      readonly status: Status;
      readonly total: string;
      readonly shipTo: { readonly street: string; readonly city: string } | null;
      readonly customerId: string;
      readonly owner: string;
      readonly revision: number;
      readonly createdAt: string;
      readonly updatedAt: string;
    }
  >
>();

assert<
  Equal<
    Create<typeof Order>,
    {
      readonly number: string;
      readonly total: string | number | bigint;
      readonly shipTo?: { readonly street: string; readonly city: string } | null;
      readonly customerId: string;
    }
  >
>();

assert<Equal<Patch<typeof Order>, { readonly status?: Status; readonly total?: string | number | bigint; readonly customerId?: string }>>();
