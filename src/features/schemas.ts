import type { DescribeReads } from '../openapi/schemas/named-schema.ts';
import { eventSchemas } from './live/schemas.ts';

/** The JSON Schemas of what the reads of plug-ins answer. */
// biome-ignore format: a line for each plug-in
export const schemasOfReads: readonly DescribeReads[] = [
  eventSchemas,
];
