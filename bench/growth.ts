import { writeFile } from 'node:fs/promises';
import type { MongoClient } from 'mongodb';
import { growBatches, growFields, growIncludes, growResources } from './growth/kinds.ts';
import { growRecords } from './growth/records.ts';
import { growStreams } from './growth/streams.ts';
import { Table } from './growth/table.ts';

/** Where the figures are kept: they are measured apart from the report. */
export const growthFile = 'docs/about/performance/growth.json';

/** Measures how costs grow, and writes it to {@link growthFile}. */
export async function measureGrowth(client: MongoClient, most: number): Promise<void> {
  const table = new Table();
  const save = () => writeFile(growthFile, `${JSON.stringify(table.rows, undefined, 2)}\n`);
  await growFields(table, client.db('bench_growth_fields'));
  await growResources(table, client.db('bench_growth_resources'));
  await growBatches(table, client.db('bench_growth_batches'));
  await growIncludes(table, client.db('bench_growth_includes'));
  await growStreams(table, client.db('bench_growth_streams'));
  await save();
  await growRecords(table, client.db('bench_growth_records'), most, save);
}
