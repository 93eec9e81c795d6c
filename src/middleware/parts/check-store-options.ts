import type { StoreOptions } from '../../mongo/store.ts';
import { checkedLater, checkOptions, type LegalOptions } from './check-options.ts';

/** Those of every middleware that opens a collection, which itself looks at their values. */
export const storeOptions: LegalOptions<StoreOptions> = { db: checkedLater, maxTimeMS: checkedLater };

/** Refuses options that do not exist: the values are looked at where the collection is opened. */
export function checkStoreOptions(options: StoreOptions, where: string): void {
  checkOptions(options, storeOptions, where);
}
