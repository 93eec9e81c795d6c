import { ConfigurationError } from '../../errors.ts';
import { asCompiled, type CompiledModel } from '../../model/compile/compile-model.ts';
import type { Model } from '../../model/define/define-model.ts';
import { isObject } from '../../model/value/plain-object.ts';
import { anArrayOf, checkOptions, type LegalOptions } from '../../options.ts';
import { isRead } from './standard-operations.ts';
import type { ListParts } from './whole-list.ts';

/** How the list and the records of a resource are kept true. */
export interface LiveListOptions {
  /**
   * Models whose records the guards, rules and scopes read: after a change of one of them, callers are asked again what
   * they may see, as soon as the change stream tells of it, and at most once a second for each stream.
   * @default none: they are asked within `live.recheckEvery` of the api, a minute by default
   */
  readonly watches?: readonly Model[];
}

/** {@link LiveListOptions} as the chains need them. */
export interface CompiledLive {
  readonly watches: readonly CompiledModel[];
}

/** The key of `guardsFor` for live lists and records. */
export const liveName = 'live';

const legal: LegalOptions<LiveListOptions> = { watches: anArrayOf('models', isObject) };

/** Reads `live` of a resource. Throws a {@link ConfigurationError} if it cannot be served. */
export function readLive(given: unknown, { ops }: Pick<ListParts, 'ops'>, where: string): CompiledLive | undefined {
  if (given === undefined || given === false) return undefined;
  if (given !== true && !isObject(given)) throw new ConfigurationError(`\`live\` of ${where} must be true or an object: { watches }.`);
  const options: LiveListOptions = given === true ? {} : given;
  checkOptions(options, legal, `\`live\` of ${where}`);
  if (!ops.some(isRead))
    throw new ConfigurationError(`\`live\` of ${where} is about what it shows, but \`ops\` has neither \`list\` nor \`get\`.`);
  return { watches: (options.watches ?? []).map((model) => asCompiled(model)) };
}
