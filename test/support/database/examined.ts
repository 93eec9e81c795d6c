import type { Db, Document } from 'mongodb';

/** What the `$lookup` of an aggregation has looked at, and how many collections it has scanned. */
export interface Examined {
  readonly documents: number;
  readonly keys: number;
  readonly scans: number;
}

/**
 * Lets the database explain an aggregation by running it again, and adds up what its `$lookup` stages have examined.
 */
export async function examinedBy(db: Db, sent: Document | undefined): Promise<Examined> {
  const { aggregate, pipeline } = sent ?? {};
  const explained = await db.command({ explain: { aggregate, pipeline, cursor: {} }, verbosity: 'executionStats' });
  const lookups = (explained.stages as Document[]).filter((stage) => '$lookup' in stage);
  if (lookups.length === 0) throw new Error('examinedBy(): the aggregation has no $lookup of its own');
  const sum = (name: string) => lookups.reduce((total, stage) => total + Number(stage[name]), 0);
  return { documents: sum('totalDocsExamined'), keys: sum('totalKeysExamined'), scans: sum('collectionScans') };
}
