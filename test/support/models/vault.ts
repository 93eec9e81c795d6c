import { defineModel, t } from '../../../src/index.ts';

const Lock = t.object('Lock', { code: t.string({ default: '0' }), seal: t.string({ default: 'seal', policy: { update: false } }) });

/**
 * Embedded objects that hold values which clients may not write, in every way in which they can, beside some that hold
 * none.
 */
export const Vault = defineModel('Vault', {
  collection: 'vaults',
  fields: {
    id: t.string(),
    name: t.string(),
    hint: t.string({ default: 'none' }),
    label: t.nullable(t.string(), { storeNone: true }),
    remark: t.optional(t.string()),
    owner: t.string({ default: 'server', policy: { update: false } }),
    open: t.nullable(t.object('Box', { a: t.int(), b: t.int({ default: 2 }), c: t.nullable(t.int()) })),
    safe: t.nullable(
      t.object('Safe', {
        pin: t.int(),
        note: t.string({ default: 'empty' }),
        tag: t.nullable(t.string()),
        secret: t.string({ default: 's', policy: { private: true } }),
        lock: t.optional(Lock),
      }),
    ),
    fixed: t.optional(t.object('Fixed', { size: t.int({ immutable: true, default: 1 }), colour: t.string({ default: 'red' }) })),
    sealed: t.optional(t.object('Sealed', { open: t.optional(t.int()), waxColour: t.string({ policy: { private: true } }) })),
    locks: t.array(Lock, { default: [] }),
    lockMap: t.map(Lock, { default: {} }),
    boxes: t.array(t.object('Crate', { a: t.int() }), { default: [] }),
    revision: t.revision(),
    updatedAt: t.updatedAt(),
  },
});

export const vault = {
  _id: 'v',
  name: 'n',
  hint: 'h',
  label: 'l',
  remark: 'r',
  owner: 'ann',
  open: { a: 1, b: 9, c: 3 },
  safe: { pin: 1, note: 'full', tag: 't', secret: 'top', lock: { code: '9', seal: 'wax' } },
  fixed: { size: 5, colour: 'blue' },
  locks: [{ code: '1', seal: 'x' }],
  lockMap: { k: { code: '1', seal: 'x' } },
  boxes: [{ a: 1 }],
  revision: 4,
};
