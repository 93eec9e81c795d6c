/** A write, and what it is about, so that each failure can be put into it, alone or with another one. */
export interface Draft {
  /** Whose record it is: the scope of callers is `ann`. */
  readonly owner: 'ann' | 'ben';
  readonly isMissing: boolean;
  /** What is special about the record: parts of its id. */
  readonly flags: Set<'held' | 'gone' | 'lost' | 'taken'>;
  readonly ifMatch: string | undefined;
  readonly isGuardClosed: boolean;
  readonly body: Record<string, unknown>;
  readonly query: Record<string, string>;
  /** The record that is linked, or that the new one stands below. */
  readonly other: string;
}

export const idOf = ({ owner, isMissing, flags }: Draft): string => (isMissing ? 'none' : [owner, ...[...flags].sort()].join('-'));

interface Failure {
  spoil(draft: Draft): void;
  /** Whether it is told alone and not in pairs: another one stands for it there. */
  readonly isAlone?: true;
  /** What no write can have together with it. */
  readonly notWith?: readonly string[];
}

const having = (changes: Partial<Draft>) => (draft: Draft) => void Object.assign(draft, changes);
const inBody = (name: string, value: unknown) => (draft: Draft) => void Object.assign(draft.body, { [name]: value });
const inQuery = (name: string, value: string) => (draft: Draft) => void Object.assign(draft.query, { [name]: value });

export const failures = {
  'a guard refuses': { spoil: having({ isGuardClosed: true }) },
  missing: { spoil: having({ isMissing: true }), notWith: ['out of scope', 'held', 'reference lost', 'key taken'] },
  'out of scope': { spoil: having({ owner: 'ben' }) },
  deleted: { spoil: (draft) => void draft.flags.add('gone'), isAlone: true },
  'not deleted': { spoil: (draft) => void draft.flags.delete('gone'), isAlone: true },
  stale: { spoil: having({ ifMatch: '"9"' }) },
  'If-Match of many': { spoil: having({ ifMatch: '"0"' }) },
  'no filter': { spoil: ({ query }) => void delete query.owner, notWith: ['unknown filter', 'too many', 'held'] },
  'unknown filter': { spoil: inQuery('x', '1') },
  'too many': { spoil: inQuery('max_affected', '1') },
  'wrong type': { spoil: inBody('text', 5) },
  'unknown field': { spoil: inBody('x', 1), isAlone: true },
  'forbidden field': { spoil: inBody('closed', 'x') },
  'required field left out': { spoil: ({ body }) => void delete body.code, notWith: ['duplicate key'] },
  'leaves the scope': { spoil: inBody('owner', 'ben') },
  'incomplete object': { spoil: inBody('part', { b: 1 }) },
  'bad reference': { spoil: inBody('boss', 'none') },
  'reference out of scope': { spoil: inBody('boss', 'bens'), isAlone: true },
  'duplicate key': { spoil: inBody('code', 'taken') },
  'duplicate id': { spoil: inBody('id', 'ann') },
  'no number to add': { spoil: inBody('add', 'x'), notWith: ['beyond the bounds'] },
  'beyond the bounds': { spoil: inBody('add', 100) },
  held: { spoil: (draft) => void draft.flags.add('held') },
  'reference lost': { spoil: (draft) => void draft.flags.add('lost') },
  'key taken': { spoil: (draft) => void draft.flags.add('taken') },
  'the other is missing': { spoil: having({ other: 'none' }), notWith: ['the other is out of scope'] },
  'the other is out of scope': { spoil: having({ other: 'bens' }) },
} as const satisfies Readonly<Record<string, Failure>>;

export type FailureName = keyof typeof failures;

/** Each failure alone, and each pair that a write can have. */
export function combinationsOf(names: readonly FailureName[]): (readonly FailureName[])[] {
  const told = (name: FailureName): Failure => failures[name];
  const paired = names.filter((name) => !told(name).isAlone);
  const pairs = paired.flatMap((first, index) => paired.slice(index + 1).map((second) => [first, second] as const));
  const isPossible = ([first, second]: readonly [FailureName, FailureName]) =>
    !told(first).notWith?.includes(second) && !told(second).notWith?.includes(first);
  return [...names.map((name) => [name]), ...pairs.filter(isPossible)];
}
