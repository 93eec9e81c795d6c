import { ConfigurationError } from '../../errors.ts';
import { isObject } from '../../model/value/plain-object.ts';
import { checkOptions, type LegalOptions } from '../../options.ts';
import type { ResourceParts } from '../../resource/define/resource-parts.ts';
import { isRead } from '../../resource/define/standard-operations.ts';
import { type LiveListOptions, liveName } from './types.ts';
import { type CompiledWatch, compileWatches, someWatches } from './watches.ts';

/** {@link LiveListOptions} as the chains need them. */
interface CompiledLive {
  readonly watches: readonly CompiledWatch[];
}

const legal: LegalOptions<LiveListOptions> = { watches: someWatches };

/** Reads `live` of a resource. Throws a {@link ConfigurationError} if it cannot be served. */
export function readLive({ given, list, where }: ResourceParts): CompiledLive | undefined {
  const { live }: { readonly live?: unknown } = given(liveName);
  if (live === undefined || live === false) return undefined;
  if (live !== true && !isObject(live)) throw new ConfigurationError(`\`live\` of ${where} must be true or an object: { watches }.`);
  const options: LiveListOptions<never> = live === true ? {} : live;
  checkOptions(options, legal, `\`live\` of ${where}`);
  if (!list().ops.some(isRead))
    throw new ConfigurationError(`\`live\` of ${where} is about what it shows, but \`ops\` has neither \`list\` nor \`get\`.`);
  return { watches: compileWatches(options.watches ?? [], where) };
}
