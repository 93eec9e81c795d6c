import type { OfBatches } from './batch/api-types.ts';
import type { Delivers } from './delivery/api-types.ts';
import type { LimitsExports } from './export/api-types.ts';
import type { OfIdempotency } from './idempotency/api-types.ts';
import type { LimitsLive, Rechecks } from './live/api-types.ts';

/** The options that plug-ins add to apis. `App` is the context of the application. */
// biome-ignore format: a line for each plug-in
export type OptionsOfApis<Principal, App> = object
  & OfBatches
  & OfIdempotency<Principal, App>
  & LimitsExports
  & LimitsLive<Principal, App>
;

/** The methods that plug-ins add to apis. */
// biome-ignore format: a line for each plug-in
export type MethodsOfApis<Principal> = object
  & Delivers
  & Rechecks<Principal>
;
