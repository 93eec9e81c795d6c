import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ConfigurationError } from '../../../src/index.ts';

const sources = join(import.meta.dirname, '../../../src');

/** Functions of `src/options.ts` and `src/mistakes.ts` that refuse what they are given. */
const refusing = ['checkOptions', 'pickOptions', 'checkValue', 'checkNames', 'findMistakes', 'refuseMisspelt', 'refuse'];

/** A computed answer is refused before: it is made of no other field of its object. */
const unreachable = ['cannot be a computed field: it is made of other fields of its object'];

/** The places of the sources that refuse a configuration, as `model/define/policy.ts:113`. */
export function placesOfRefusals(): string[] {
  const all = readdirSync(sources, { recursive: true, encoding: 'utf8' });
  const files = all.filter((file) => file.endsWith('.ts') && !['mistakes.ts', 'options.ts'].includes(file));
  return files.sort().flatMap((file) => {
    const text = readFileSync(join(sources, file), 'utf8');
    const imported = [...text.matchAll(/import \{([^}]*)\} from '[./]*\/(?:options|mistakes)\.ts'/g)].flatMap(([, names = '']) =>
      names.split(/,\s*/),
    );
    const functions = refusing.filter((name) => imported.some((one) => one.trim() === name));
    const call = new RegExp(`new ConfigurationError\\(${functions.map((name) => `|(?<!function |[.#\\w])${name}(?:<\\w+>)?\\(`).join('')}`);
    const isPlace = (line: string) => call.test(line) && !/^\s*(?:\*|\/\/)/.test(line) && !unreachable.some((text) => line.includes(text));
    return text.split('\n').flatMap((line, index) => (isPlace(line) ? [`${file}:${index + 1}`] : []));
  });
}

/** Of how many errors with one message the places are looked at: a stack takes its time. */
const most = 5;

/**
 * Collects the places that refuse what happens in `run`. An error is seen when it is caught, and when several become
 * one: `tryAll` and `about` make new errors of those that they catch, and ask these for their text or their cause.
 */
export async function reachedIn(run: () => Promise<void>): Promise<ReadonlySet<string>> {
  const reached = new Set<string>();
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 60;
  const timesSeen = new Map<string, number>();
  const see = (error: Error) => {
    const times = (timesSeen.get(error.message) ?? 0) + 1;
    timesSeen.set(error.message, times);
    if (times > most) return;
    for (const [, file = '', line = ''] of String(error.stack).matchAll(/\(?(?:file:\/\/)?(\/[^\s():]+\.ts):(\d+):\d+/g))
      reached.add(`${relative(sources, file)}:${line}`);
  };
  Object.defineProperty(ConfigurationError.prototype, 'toString', {
    configurable: true,
    value(this: Error) {
      see(this);
      return Error.prototype.toString.call(this);
    },
  });
  Object.defineProperty(ConfigurationError.prototype, 'cause', {
    configurable: true,
    get(this: Error) {
      see(this);
      return undefined;
    },
  });
  try {
    await run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    Reflect.deleteProperty(ConfigurationError.prototype, 'toString');
    Reflect.deleteProperty(ConfigurationError.prototype, 'cause');
  }
  return reached;
}
