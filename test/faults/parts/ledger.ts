import type { Db } from 'mongodb';
import { defineModel, service, t } from '../../../src/index.ts';

const Account = defineModel('Account', {
  collection: 'accounts',
  fields: { id: t.string({ policy: { insert: true } }), count: t.int({ default: 0 }), revision: t.revision() },
});
const Entry = defineModel('Entry', { collection: 'entries', fields: { account: t.string() } });

/** Called in the hook within each write, and in the hook after it. */
export interface Hooks {
  within?(): unknown;
  after?(): unknown;
}

/** An api whose writes leave an entry each, with keys and batches. */
export function makeLedger(db: Db, hooks: Hooks = {}, maxTimeMS = 10_000) {
  const bank = service();
  const enter = async (
    _ctx: unknown,
    { after, tx }: { readonly after: { readonly id: string }; readonly tx: { readonly store: Store } },
  ) => {
    await tx.store(Entry).create({ account: after.id });
    await hooks.within?.();
  };
  const within = { create: [enter], patch: [enter] };
  const after = { create: [() => hooks.after?.()], patch: [() => hooks.after?.()] };
  return bank.api({
    db,
    maxTimeMS,
    batch: true,
    idempotency: { principal: () => 'ann' },
    onError: () => undefined, // the tests look at what is answered and what is stored
    resources: [
      bank.resource({ model: Account, ops: ['create', 'patch', 'get'], within, after }),
      bank.resource({ model: Entry, ops: ['list'] }),
    ],
  });
}

type Store = ReturnType<typeof service>['api'] extends (...given: never) => { readonly store: infer S } ? S : never;
type Ledger = ReturnType<typeof makeLedger>;

/** A request to the ledger. */
export interface Posting {
  readonly method: string;
  readonly path: string;
  readonly body: object;
  /** How many accounts and entries there are afterwards, beside the account `a`. */
  readonly accounts: number;
  readonly entries: number;
}

export const postings: Readonly<Record<string, Posting>> = {
  create: { method: 'POST', path: '/accounts', body: { id: 'n' }, accounts: 1, entries: 1 },
  patch: { method: 'PATCH', path: '/accounts/a', body: { count: 1 }, accounts: 0, entries: 1 },
  batch: {
    method: 'POST',
    path: '/batch',
    body: {
      operations: [
        { method: 'POST', path: '/accounts', body: { id: 'n' } },
        { method: 'PATCH', path: '/accounts/{0}', body: { count: 5 } },
        { method: 'PATCH', path: '/accounts/a', body: { count: 1 } },
      ],
    },
    accounts: 1,
    entries: 3,
  },
};

export async function reset(db: Db): Promise<void> {
  for (const name of ['accounts', 'entries', 'idempotency_keys']) await db.collection(name).deleteMany({});
  await db.collection<{ _id: string; count: number; revision: number }>('accounts').insertOne({ _id: 'a', count: 0, revision: 0 });
}

/** How many accounts beside `a` and entries there are, and the revision of `a`. */
export async function count(db: Db): Promise<{ accounts: number; entries: number; keys: number; revision: unknown }> {
  const a = await db.collection<{ _id: string; revision: unknown }>('accounts').findOne({ _id: 'a' });
  return {
    accounts: (await db.collection('accounts').countDocuments()) - 1,
    entries: await db.collection('entries').countDocuments(),
    keys: await db.collection('idempotency_keys').countDocuments(),
    revision: a?.revision,
  };
}

/** Sends a posting, with a key if one is given. */
export async function post(ledger: Pick<Ledger, 'fetch'>, { method, path, body }: Posting, key?: string) {
  const headers = { 'content-type': 'application/json', ...(key === undefined ? {} : { 'idempotency-key': key }) };
  const response = await ledger.fetch(new Request(`http://ledger${path}`, { method, body: JSON.stringify(body), headers }));
  const text = await response.text();
  return { status: response.status, text, code: response.status < 300 ? undefined : (JSON.parse(text).code as string | undefined) };
}
