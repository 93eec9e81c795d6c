import type { FieldKind } from '../model/node.ts';
import { counterKind } from './counters/kind.ts';

/** The kinds of fields that plug-ins add. */
// biome-ignore format: a line for each plug-in
export const kinds: readonly FieldKind[] = [
  counterKind,
];
