import type { Context, Replays } from '../../middleware/exchange/context.ts';
import type { Sought } from '../../middleware/exchange/require-seen.ts';
import { Turn } from '../../mongo/driver/turn.ts';
import { ofOperation } from './batch.ts';
import { operationContext } from './operation-context.ts';
import { readBatch } from './read-batch.ts';
import { type CreatedId, fillIn } from './refs.ts';

/** The parts of an api by which the answer of a batch is shown again. */
export interface BatchReplaysSettings {
  readonly maxOperations: number;
  /** Runs what a caller runs through to see an answer of the operation at a path again. */
  readmit(ctx: Context, path: string): Promise<void>;
  /**
   * The id of the record that the operation of a context has created, of its stored id; undefined if it has created
   * none.
   */
  idCreated(ctx: Context, id: unknown): CreatedId | undefined;
}

/** Says who may see the answer of a batch again: who may see that of each of its operations. */
export function batchReplays({ maxOperations, readmit, idCreated }: BatchReplaysSettings): Replays {
  return {
    note: async ({ shown = [] }) => shown,
    read: async () => undefined,

    async admit(ctx, shown) {
      const turn = new Turn();
      const sought: Sought[] = [];
      const ids: (CreatedId | undefined)[] = [];
      for (const [index, operation] of readBatch(ctx.request.body, maxOperations).entries()) {
        try {
          const filled = fillIn(operation, ids);
          const own = operationContext(ctx, filled);
          await readmit(own, filled.path);
          const found = (await own.replays?.admit(own, shown.slice(index, index + 1))) ?? [];
          sought.push(...found.map((one) => ({ ...one, refuse: () => ofOperation(one.refuse(), index) })));
          ids.push(idCreated(own, shown[index]?.records[0]?.id));
        } catch (error) {
          throw ofOperation(error, index);
        }
        await turn.pass();
      }
      return sought;
    },
  };
}
