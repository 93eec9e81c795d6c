import { guardsOf, hooksOf, type Phase, phases } from './given.ts';
import type { Case } from './requests.ts';
import { guardInUse, type Matrix } from './serve-matrix.ts';

/** What a request has to leave on the line, as its row says. */
export interface Expected {
  /** The guards of the row, before anything else: each of them refuses the request. */
  readonly guards: readonly string[];
  /** Guards that are asked after these: in `use` of a custom operation, and of a record that is linked. */
  readonly further: readonly string[];
  /** The hooks of all phases. */
  readonly hooks: readonly string[];
}

export function expectedOf({ row }: Case, { givenOf, api }: Pick<Matrix, 'givenOf' | 'api'>): Expected {
  const { subject, asks, runs, when } = row;
  const isOfThePast = when !== undefined && 'parameter' in when; // its hooks see the record as it is, and as it was
  const hooks = (phase: Phase) => hooksOf(phase, runs, givenOf);
  const linked = subject.kind === 'plugin' && subject.name === 'link add' ? subject.others.other?.path : undefined;
  const other = api.description.resources.find(({ path }) => path === linked);
  const guards = guardsOf(asks, givenOf);
  const ofOther = other?.shownBy ? guardsOf([{ resource: other, names: [other.shownBy] }], givenOf) : [];
  return {
    guards,
    further: [
      ...(subject.kind === 'custom' && subject.operation.use.length > 1 ? [guardInUse] : []),
      ...ofOther.filter((name) => !guards.includes(name)), // none is asked twice
    ],
    hooks: phases.flatMap((phase) => (isOfThePast ? [...hooks(phase), ...hooks(phase)] : hooks(phase))),
  };
}

const isGuard = (event: string) => event.startsWith('guard ');
const isCommand = (event: string) => event.startsWith('command ');
const isOfPhase = (phase: Phase) => (event: string) => event.startsWith(`${phase} `);
const isHook = (event: string) => phases.some((phase) => isOfPhase(phase)(event));
const isCommit = (event: string) => event.startsWith('command commitTransaction');
const isOfKey = (event: string) => event.endsWith(' idempotency_keys');
const isWrite = (event: string) => /^command (?:insert|update|delete|findAndModify|bulkWrite) /.test(event) && !isOfKey(event);

/**
 * What is wrong with the line of a request that was carried out. The key of a batch is looked up before the guards of
 * its operations.
 */
export function faultsOfRun(events: readonly string[], { guards, further, hooks }: Expected): string[] {
  const at = (matches: (event: string) => boolean) => events.findIndex(matches);
  const last = (matches: (event: string) => boolean) => events.findLastIndex(matches);
  const [write, commit, read] = [at(isWrite), at(isCommit), at(isCommand)];
  const [before, within, after] = [isOfPhase('before'), isOfPhase('within'), isOfPhase('after')];
  return [
    ...differ('guards', events.filter(isGuard), [...guards, ...further]),
    ...differ('what happens first', withoutKey(events).slice(0, guards.length), guards),
    ...differ('hooks', events.filter(isHook), hooks),
    ...(read === -1 ? ['no command was sent'] : []),
    ...(events.some(before) && !(last(before) < write) ? ['a hook of `before` did not run before the write'] : []),
    ...(events.some(within) && !(write !== -1 && write < at(within)) ? ['a hook of `within` did not run after the write'] : []),
    ...(events.some(within) && !(last(within) < commit) ? ['a hook of `within` did not run before the commit'] : []),
    ...(events.some(after) && at(after) < Math.max(read, last(isWrite), last(isCommit))
      ? ['a hook of `after` did not run at the end']
      : []),
  ];
}

/** What is wrong with the line of a request that a guard has refused. */
export function faultsOfRefusal(events: readonly string[], guards: readonly string[], refusing: string): string[] {
  return differ('what happens up to a refusal', withoutKey(events), guards.slice(0, guards.indexOf(refusing) + 1));
}

/** What is wrong with the line of a request whose answer was kept. */
export function faultsOfReplay(events: readonly string[], { guards, further }: Expected): string[] {
  return [
    ...differ('guards', events.filter(isGuard), [...guards, ...further]),
    ...differ('what happens first', withoutKey(events).slice(0, guards.length), guards),
    ...differ('hooks', events.filter(isHook), []),
    ...differ(
      'writes',
      events.filter((event) => isWrite(event) || isCommit(event)),
      [],
    ),
  ];
}

function withoutKey(events: readonly string[]): readonly string[] {
  return events.filter((event) => !isOfKey(event));
}

function differ(what: string, found: readonly string[], wanted: readonly string[]): string[] {
  const [is, should] = [found, wanted].map((names) => names.join(', '));
  return is === should ? [] : [`${what}: ${is}\n  instead of: ${should}`];
}
