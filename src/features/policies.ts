import type { PolicyKey } from '../model/compile/policy-key.ts';
import { figuresPolicy, groupPolicy } from './aggregate/policy.ts';
import { nearPolicy } from './near/policy.ts';

/** The keys that plug-ins add to policies of fields. */
// biome-ignore format: a line for each plug-in
export const policyKeys: readonly PolicyKey[] = [
  figuresPolicy,
  groupPolicy,
  nearPolicy,
];
