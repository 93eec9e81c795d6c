import { inspect } from 'node:util';
import { linesOf } from './message.ts';

/** What takes options: how it is called with them, and those that it needs. */
export interface Taker {
  readonly call: (options: never) => unknown;
  readonly needs?: object;
  /** Another one that takes some of the same options, of which only `default` is asked here, too. */
  readonly beside?: string;
}

const named = () => 1;

/** Values that are wrong for most options, and right for some. */
const values = [undefined, null, true, 'x', '', 0, -1, 1.5, 1e15, {}, { colour: 1 }, [], [null], ['x'], named];

/**
 * The answers of what takes options, to a name that it does not have, and for each of its options to all values: a line
 * for each answer, with the values that have it. The options are those that the message about the unknown name lists,
 * so that a new one has its lines by itself.
 */
export async function answersOf(name: string, { call, needs = {} }: Taker, known: readonly string[] = []): Promise<string[]> {
  const unknown = await unknownIn({ call, needs });
  const none = await linesOf(() => call(null as never));
  const options = optionsIn(unknown).filter((option) => option === 'default' || !known.includes(option));
  const lines = [name, `  colour: ${unknown}`, ...none.map((line) => `  null: ${line}`)];
  for (const option of options) {
    const byAnswer = new Map<string, string[]>();
    for (const value of values) {
      const refused = await linesOf(() => call({ ...needs, [option]: value } as never));
      for (const line of refused.length > 0 ? refused : ['accepted']) byAnswer.set(line, [...(byAnswer.get(line) ?? []), show(value)]);
    }
    for (const [answer, given] of byAnswer) lines.push(`  ${option}: ${given.join(' ')} → ${answer}`);
  }
  return lines;
}

/** The options of what takes them. */
export async function optionsOf(taker: Taker): Promise<string[]> {
  return optionsIn(await unknownIn(taker));
}

async function unknownIn({ call, needs }: Taker): Promise<string> {
  const [unknown = ''] = await linesOf(() => call({ ...needs, colour: 1 } as never));
  return unknown;
}

function optionsIn(unknown: string): string[] {
  return (/Allowed: (.+)\.$/.exec(unknown)?.[1] ?? '').split(', ').filter((option) => option !== '');
}

function show(value: unknown): string {
  return typeof value === 'function' ? 'function' : inspect(value);
}
