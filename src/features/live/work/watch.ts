import type { Context } from '../../../middleware/exchange/context.ts';
import { askScope } from '../../../middleware/reach/ask.ts';
import type { ChangeFeed } from '../../../mongo/changes/change-feed.ts';
import { equalitiesOf } from '../../../mongo/predicate/equality.ts';
import { readScope } from '../../../mongo/predicate/read-scope.ts';
import type { LiveSource, Watched } from '../live-source.ts';
import type { CompiledWatch } from '../watches.ts';

/** By how many combinations of values a caller is found. */
const mostCombinations = 100;

/** Finds out which changes can concern the caller of a context. */
export async function watchedOf(ctx: Context, watches: readonly CompiledWatch[]): Promise<Watched[]> {
  const found: Watched[] = [];
  for (const { model, where } of watches) {
    const conditions = readScope(await askScope(ctx, where), model.scopeFields);
    found.push({ model, equal: equalitiesOf(conditions, undefined, mostCombinations) });
  }
  return found;
}

/** Hears of the changes on which the rights of one caller depend. */
export class Watch {
  readonly #feed: ChangeFeed;
  readonly #staleAfter: number | undefined;
  readonly #hear: () => void;
  #watched: readonly Watched[] = [];
  /** A listener for each kind of record, and when it has begun. */
  #ears: readonly Ear[] = [];

  /** `hear` is called after each such change, and when changes were lost. */
  constructor(feed: ChangeFeed, staleAfter: number | undefined, hear: () => void) {
    this.#feed = feed;
    this.#staleAfter = staleAfter;
    this.#hear = hear;
  }

  /**
   * From now on, hears of the changes of the records that a state watches, and returns whether they are others than
   * before: what has changed of them until then was not heard. Throws if their collections cannot be listened to.
   */
  async follow({ watched, model, related }: LiveSource): Promise<boolean> {
    if (textOf(watched) === textOf(this.#watched)) return false;
    this.#watched = watched;
    if (this.#ears.length === 0) this.#ears = watched.map((one) => this.#listen(one.model.collection, [model.collection, ...related]));
    await Promise.all(this.#ears.map(({ begun }) => begun));
    watched.forEach(({ model, equal }, index) => {
      const { hear } = this.#ears[index] as Ear;
      const { leaf } = model.id;
      this.#feed.focus(hear, model.collection, { leaf, ids: [], keys: 'any', wholes: true, equal, former: true });
    });
    return true;
  }

  /** Hears of nothing any more. */
  stop(): void {
    for (const { begun } of this.#ears)
      begun.then(
        (leave) => leave(),
        () => undefined,
      );
  }

  #listen(collection: string, next: readonly string[]): Ear {
    const hear = () => this.#hear(); // of its own: somebody who listens has one interest in a collection
    const begun = this.#feed.listen(new Set([collection]), hear, this.#staleAfter, next);
    begun.catch(() => undefined); // whoever follows is told
    return { hear, begun };
  }
}

interface Ear {
  readonly hear: () => void;
  readonly begun: Promise<() => void>;
}

function textOf(watched: readonly Watched[]): string {
  return JSON.stringify(watched.map(({ equal }) => equal));
}
