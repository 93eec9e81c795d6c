import { defineModel, type Model } from '../../../../model/define/define-model.ts';
import { t } from '../../../../model/define/t.ts';
import { latchCollection, latchLifeSeconds } from './latch.ts';

/** The model of the latches. Its fields are not read by it: it is there for the plan of the indexes. */
export const latchModel: Model = defineModel('ReferenceLatch', {
  collection: latchCollection,
  fields: { id: t.string(), usedAt: t.date() },
  indexes: [{ key: { usedAt: 1 }, expireAfterSeconds: latchLifeSeconds }],
}) as unknown as Model;
