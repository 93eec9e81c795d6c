import type { ApiPlugin } from '../api/plugin.ts';
import { batches } from './batch/api.ts';
import { delivery } from './delivery/api.ts';
import { exportPlaces } from './export/api.ts';
import { idempotencyKeys } from './idempotency/api.ts';
import { limitsOfLive } from './live/api.ts';

/** What plug-ins add to apis. */
// biome-ignore format: a line for each plug-in
export const apiPlugins: readonly ApiPlugin[] = [
  batches,
  delivery,
  idempotencyKeys,
  exportPlaces,
  limitsOfLive,
];
