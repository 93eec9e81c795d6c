import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { defineModel } from '../../../src/model/define/define-model.ts';
import { t } from '../../../src/model/define/t.ts';
import { compilePatch, compilePut } from '../../../src/model/write/compile-writes.ts';
import type { Changes } from '../../../src/model/write/plan-changes.ts';
import { compileDrafts } from '../../../src/model/write/plan-draft.ts';
import { assigned, refusals } from '../subject.ts';

describe('the check of a record with a draft', () => {
  const checked = compileModel(
    defineModel('Span', {
      collection: 'spans',
      fields: { from: t.int(), to: t.int(), pin: t.optional(t.int({ policy: { private: true } })), revision: t.revision() },
      check: ({ from, to }) => (from > to ? 'must rise' : undefined),
    }),
  );
  const own = compileDrafts(checked);
  const left = (changes: Changes, values: object) => own.readChanges(Object.assign(own.showChanges(changes) as object, values), changes);

  it('runs again where the draft changed and sets every field', () => {
    const changes = compilePatch(checked)({ from: 1, to: 2 });
    expect(refusals(() => left(changes, { pin: 1, to: 0 }))).toEqual([' must rise']);
    expect(assigned(left(changes, { pin: 1, to: 3 }))).toEqual({ from: 1, to: 3, pin: 1 });
    expect(assigned(left(changes, { to: 0 }))).toEqual({ from: 1, to: 0 }); // `pin` is as stored
  });

  it('of a put waits for the stored record, as before', () => {
    const changes = compilePut(checked)({ from: 1, to: 2 });
    expect(left(changes, { to: 0 }).storedCheck).toBe(changes.storedCheck);
  });
});
