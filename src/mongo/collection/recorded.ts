import { once } from '../../mistakes.ts';
import type { CompiledModel } from '../../model/compile/compile-model.ts';
import { runLoaded, type Transact } from '../driver/run-transaction.ts';
import { Work } from '../driver/work.ts';
import type { LedgerSettings } from '../ledger/ledger-rows.ts';
import { type Operations, type RecordedWrites, recordedWrites } from './operations.ts';
import { isUnrecorded } from './write-plan.ts';

/**
 * The writes of a model with a ledger: each also writes what it has changed, in the same transaction. The first of them
 * loads the code. Holds and purges leave nothing of the kind, and go straight on.
 */
export function recordWrites(model: CompiledModel, plain: Operations, transact: Transact, settings: LedgerSettings): RecordedWrites {
  const opened = once(async () => (await import('./recorder.ts')).openRecorder(model, plain, transact, settings));
  const later =
    (name: keyof RecordedWrites) =>
    (...args: unknown[]) =>
      runLoaded(args.find((one) => one instanceof Work) as Work, opened, (recorded) =>
        (recorded[name] as (...args: unknown[]) => Promise<unknown>)(...args),
      );
  const recorded = Object.fromEntries(recordedWrites.map((name) => [name, later(name)])) as unknown as RecordedWrites;
  return {
    ...recorded,
    writeMany: (plan, work) => (isUnrecorded(plan) ? plain.writeMany(plan, work) : recorded.writeMany(plan, work)),
  };
}
