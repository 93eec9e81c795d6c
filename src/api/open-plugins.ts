import type { MethodsOfApis } from '../features/api-types.ts';
import { apiPlugins } from '../features/apis.ts';
import { tryAll } from '../mistakes.ts';
import type { ApiParts, OwnOperations } from './plugin.ts';

/** What all plug-ins add to an api. */
interface Added {
  /** The options by which they carry out writes of clients in transactions. */
  readonly carrying: readonly string[];
  /** Their own operations. */
  readonly beside: readonly OwnOperations[];
  /** Their methods of the api. */
  readonly methods: MethodsOfApis;
  /** Ends what they have under way, within so many milliseconds. */
  close(timeout: number): Promise<unknown>;
}

/** Opens what plug-ins add to an api. Throws for the mistakes of all of them. */
export function openPlugins(parts: ApiParts): Added {
  const opened = tryAll(
    apiPlugins.map(({ options, open }) => () => ({ options, ...open(parts) })),
  );
  return {
    carrying: opened.flatMap(({ options, carriesOut }) => (carriesOut ? options : [])),
    beside: opened.flatMap(({ serves }) => serves ?? []),
    methods: Object.assign({}, ...opened.map(({ methods }) => methods)) as MethodsOfApis,
    close: (timeout) => Promise.all(opened.map(({ close }) => close?.(timeout))),
  };
}
