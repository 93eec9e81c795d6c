/**
 * A part of a document or an answer that a test looks into, or what JavaScript would pass where TypeScript refuses it.
 * With `unknown` each look would be a row of casts, which say nothing of their own and hide what is expected.
 */
// biome-ignore lint/suspicious/noExplicitAny: the one place where tests give the types up, for the reason above
export type Any = any;
