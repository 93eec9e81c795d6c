import { BSON } from 'mongodb';
import type { IndexPlan } from '../../../index.ts';
import { defineCommand, status } from '../command.ts';
import type { LoadedApi } from '../load-api.ts';
import { printableJson } from '../printable.ts';

export const indexes = defineCommand({
  summary: 'Compare the indexes that the api needs with those of the database',
  details: 'Ends with 0 if every index is there, with 1 if one is missing or another one is in its way, and with 2 if the command fails.',
  options: {
    apply: { type: 'boolean', text: 'create the missing indexes, and wait until they are built; nothing is dropped' },
    json: { type: 'boolean', text: 'print JSON' },
  },
  needsDatabase: true,
  async run({ load, values: { apply = false, json = false }, write, writeExactly, tell }) {
    const loaded = await load();
    const created = apply ? await create(loaded) : 0;
    const plan = await loaded.library.planIndexes(loaded.api);
    if (json) writeExactly(`${printableJson(BSON.EJSON.serialize({ created, collections: plan.collections }))}\n`);
    else write(`${created > 0 ? `Created indexes: ${created}.\n\n` : ''}${plan}\n`);
    const [missing, conflicting] = [count(plan, 'missing'), count(plan, 'conflicting')];
    if (missing > 0) tell(`Missing indexes: ${missing}. With --apply, they are created.`);
    if (conflicting > 0) tell(`Indexes in the way of others: ${conflicting}. Drop them yourself, and run this again with --apply.`);
    return missing + conflicting > 0 ? status.found : status.good;
  },
});

/** Returns how many it has created. */
async function create({ api, library }: LoadedApi): Promise<number> {
  const before = await library.planIndexes(api);
  try {
    await library.applyIndexes(api);
  } catch (error) {
    // With conflicts, it has created all others before it throws, and the plan afterwards names the conflicts.
    if (count(before, 'conflicting') === 0 || count(await library.planIndexes(api), 'missing') > 0) throw error;
  }
  return count(before, 'missing');
}

function count({ collections }: IndexPlan, state: 'missing' | 'conflicting'): number {
  return collections.reduce((sum, collection) => sum + collection[state].length, 0);
}
