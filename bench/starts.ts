import { Child } from './children.ts';
import { middle } from './statistics.ts';

/** What a start costs. */
export interface StartUp {
  /** User and system time, in milliseconds. */
  readonly cpu: number;
  /** Elapsed, in milliseconds. */
  readonly elapsed: number;
  /** Resident memory at its end, in bytes. */
  readonly rss: number;
}

const starts: readonly (readonly [title: string, args: readonly string[]])[] = [
  ['import of koa, @koa/router and mongodb', ['others']],
  ['import of ajv and ajv-formats, beside these', ['ajv']],
  ['import of the package, beside all of these', ['import']],
  ['an api with 1 resource of 10 fields', ['resources', '1', '10']],
  ['an api with 50 resources of 10 fields', ['resources', '50', '10']],
  ['an api with 500 resources of 10 fields', ['resources', '500', '10']],
  ['an api with 50 resources of 100 fields', ['resources', '50', '100']],
];

/** Measures each start in processes of their own. Returns the median of each by its title. */
export async function measureStarts(rounds: number): Promise<ReadonlyMap<string, StartUp>> {
  const found = new Map<string, StartUp>();
  for (const [title, args] of starts) {
    const measured: StartUp[] = [];
    for (let round = 0; round < rounds; round++) measured.push(await new Child<object, never>('start-up.js', args).only<StartUp>());
    found.set(
      title,
      middle(measured, ({ cpu }) => cpu),
    );
  }
  return found;
}
