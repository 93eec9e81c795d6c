/** True where both types are the same, optional and readonly keys included. */
// biome-ignore format: without the parentheses around the second function, readonly keys do not count
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

/** Compiles only for `true`: `assert<Equal<A, B>>()`. */
export declare function assert<_T extends true>(): void;
