import { t } from '../../../src/model/define/t.ts';

/** An embedded object with every way to be left out, and two fields that clients may not set. */
export const Address = t.object('Address', {
  street: t.string(),
  zip: t.string({ immutable: true }),
  country: t.string({ default: 'NL' }),
  note: t.optional(t.string()),
  floor: t.nullable(t.int()),
  label: t.nullable(t.string(), { storeNone: true }),
  verifiedBy: t.optional(t.string({ policy: { private: true } })),
  score: t.int({ default: 0, policy: { insert: false } }),
});

/** A body of it, */
export const whole = { street: 'a', zip: '1' };
/** and what that is stored as. */
export const storedWhole = { street: 'a', zip: '1', country: 'NL', label: null, score: 0 };
