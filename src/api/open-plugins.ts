import { apiPlugins } from '../features/apis.ts';
import { tryAll } from '../mistakes.ts';
import type { AddedToApi, ApiParts } from './plugin.ts';

/** What one plug-in adds to an api, and its options. */
interface Opened extends AddedToApi {
  readonly options: readonly string[];
}

/** Opens what plug-ins add to an api. Throws for the mistakes of all of them. */
export function openPlugins(parts: ApiParts): readonly Opened[] {
  return tryAll(
    apiPlugins.map(({ options, open }) => () => ({ options, ...open(parts) })),
  );
}
