import type { FieldError } from '../../rules.ts';

/** How many keys a map may have. */
export interface KeyLimits {
  /** @default 0 */
  readonly least: number | undefined;
  /** @default no limit */
  readonly most: number | undefined;
  /** The error of a map with these keys. Undefined if they are within the limits. */
  refuse(keys: ReadonlySet<string>): FieldError | undefined;
}

/**
 * Keys that a patch writes one by one into a map, or into an object that a map holds. It is the value of an assignment,
 * because the keys of a map are data: they cannot be part of a path.
 */
export interface GivenKeys {
  /** The new values in stored form. `absent` removes a key, and another {@link KeyMerge} goes deeper. */
  readonly keys: ReadonlyMap<string, unknown>;
  /**
   * The object, in stored form, that is written into if there is none. Undefined if the body does not suffice to create
   * it.
   */
  readonly whole: unknown;
  /** The same if the key is missing: a map has its default then. @default `whole` */
  readonly unset?: unknown;
  /** The errors for the client if the object cannot be created. @default none */
  readonly refused?: readonly FieldError[];
  /** The message of the Error (500) if it cannot be created because of what a hook of `before` has written into it. */
  readonly mistake?: string | undefined;
  readonly limits?: KeyLimits | undefined;
}

/** See {@link GivenKeys}. */
export class KeyMerge implements Required<GivenKeys> {
  readonly keys: ReadonlyMap<string, unknown>;
  readonly whole: unknown;
  readonly unset: unknown;
  readonly refused: readonly FieldError[];
  readonly mistake: string | undefined;
  readonly limits: KeyLimits | undefined;

  constructor({ keys, whole, unset = whole, refused = [], mistake, limits }: GivenKeys) {
    this.keys = keys;
    this.whole = whole;
    this.unset = unset;
    this.refused = refused;
    this.mistake = mistake;
    this.limits = limits;
  }
}
