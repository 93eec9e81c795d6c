import { t } from '../../src/model/define/t.ts';

const closed = { insert: false, update: false };

/** Holds no value that a client may not write. */
export const Plain = t.object('Plain', {
  street: t.string(),
  city: t.string(),
  country: t.string({ default: 'NL' }),
  note: t.optional(t.string()),
  floor: t.nullable(t.int()),
  label: t.nullable(t.string(), { storeNone: true }),
  tags: t.array(t.string(), { default: [] }),
});

/** Holds a private and a closed value; a client can make one nevertheless. */
export const Guarded = t.object('Guarded', {
  city: t.string(),
  zip: t.string({ default: '0000' }),
  floor: t.nullable(t.int()),
  verifiedBy: t.optional(t.string({ policy: { private: true } })),
  score: t.int({ default: 0, policy: closed }),
});

/** Requires a value that only the server sets. */
export const Sealed = t.object('Sealed', { city: t.string(), seal: t.string({ policy: { private: true } }) });

export const uncleared = 'cannot be set to null: it holds values that only the server may clear';
export const unreplaced = 'cannot be replaced: it holds values that only the server may set';
