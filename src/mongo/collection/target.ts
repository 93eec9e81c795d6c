import type { Filter } from '../query/filter.ts';
import type { Precondition } from '../query/precondition.ts';
import type { Writer } from './writer.ts';

/** The record that a write addresses. Its id, the row scope and the precondition are all part of the write's filter. */
export interface Target {
  readonly id: unknown;
  readonly scope: Filter | undefined;
  readonly precondition: Precondition | undefined;
  /** @default the application itself */
  readonly writer?: Writer | undefined;
}
