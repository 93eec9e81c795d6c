import type { Filter } from '../query/filter.ts';
import type { Precondition } from '../query/precondition.ts';
import type { CascadeObserver, Viewer } from './viewer.ts';

/** The record that a write addresses. Its id, the row scope and the precondition are all part of the write's filter. */
export interface Target {
  readonly id: unknown;
  readonly scope: Filter | undefined;
  readonly precondition: Precondition | undefined;
  /** Who writes, for checked references. */
  readonly viewer?: Viewer | undefined;
  /** Observes what the delete or the restore does to other records. */
  readonly observer?: CascadeObserver | undefined;
}
