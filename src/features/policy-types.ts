import type { AggregatePolicy } from './aggregate/types.ts';
import type { OfNear } from './near/types.ts';

/**
 * The keys that plug-ins add to policies of fields. Fields have policies, so this file imports nothing that knows what
 * a field is.
 */
// biome-ignore format: a line for each plug-in
export type PoliciesOfPlugins = object
  & AggregatePolicy
  & OfNear
;
