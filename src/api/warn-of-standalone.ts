import type { Db } from 'mongodb';
import { listNames } from '../hints.ts';
import { reachabilityOf } from '../mongo/driver/reachability.ts';
import type { CompiledResource } from '../resource/define/compiled-resource.ts';
import { isWriteOfMany, singleWrites } from '../resource/define/standard-operations.ts';

/**
 * Warns (`process.emitWarning`) if an api needs transactions, and its client is connected to a standalone server, which
 * has none: what needs them is answered with 501. `options` are those of the api that need them. The warning comes at
 * once, or when the client has connected.
 */
export function warnOfStandalone(db: Db, resources: readonly CompiledResource[], options: readonly string[]): void {
  const needing = [
    ...options.map((name) => `\`${name}\``),
    ...resources.flatMap(needingOf),
    ...needingOfReferences(resources),
    ...needingOfLedgers(resources),
  ];
  if (needing.length === 0) return;
  reachabilityOf(db.client).whenStandalone(() => {
    const message = `The database is a standalone server without transactions, which ${listNames(needing)} need: the answer is 501. Make it a replica set; one of a single member will do.`;
    process.emitWarning(message, { type: 'KoaMongoResourceWarning', code: 'REPLICA_SET_REQUIRED' });
  });
}

function needingOf({ path, ops, operations, withinOf }: CompiledResource): string[] {
  const hasHooks = [...singleWrites, ...operations.map(({ name }) => name)].some((name) => withinOf(name).length > 0);
  const ofMany = ops.filter(isWriteOfMany);
  return [...(hasHooks ? ['within'] : []), ...ofMany].map((name) => `\`${name}\` of resource \`${path}\``);
}

/** Writes of models whose changes are kept. */
function needingOfLedgers(resources: readonly CompiledResource[]): string[] {
  const ledgers = new Map(resources.map(({ model: { name, ledger } }) => [name, ledger]));
  return [...ledgers].flatMap(([model, ledger]) => (ledger ? [`\`${ledger.history ? 'history' : 'outbox'}\` of model ${model}`] : []));
}

/** Writes of references that hold, and deletes of the records that they lead to. */
function needingOfReferences([resource]: readonly CompiledResource[]): string[] {
  const models = new Set(resource?.references?.heldModels ?? []);
  return [...models].map((model) => `\`onDelete\` of references to ${model}`);
}
