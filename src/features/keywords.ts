/**
 * The keywords by which the schema of a field says that it is of the kind of a plug-in: `true` or `false`. Everything
 * that reads schemas asks for them, so this file imports nothing.
 */
// biome-ignore format: a line for each plug-in
export const keywords = [
  'counter', // counters/
] as const;
