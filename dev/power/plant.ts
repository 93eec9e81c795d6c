import type { Area } from './area.ts';

/** A change of one place of a file that the compiler may accept, and a test should notice. */
export interface Fault {
  readonly line: number;
  readonly was: string;
  readonly is: string;
  /** The whole file with it. */
  readonly text: string;
}

const changes: readonly (readonly [RegExp, string])[] = [
  [/ < /g, ' <= '],
  [/ <= /g, ' < '],
  [/ > /g, ' >= '],
  [/ >= /g, ' > '],
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ \+ 1\b/g, ''],
  [/ - 1\b/g, ''],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/\bif \(!/g, 'if ('],
  [/\.some\(/g, '.every('],
  [/\.every\(/g, '.some('],
];

/**
 * So many faults of a file, evenly, or those that are chosen for it. They are the same ones as long as the file stays
 * as it is.
 */
export function plantedIn(file: string, text: string, { faults }: Area, count: number): Fault[] {
  if (!faults) return spread(faultsOf(text), count);
  return faults
    .filter(([name]) => name === file)
    .map(([, was, is]) => {
      const at = text.indexOf(was);
      if (at < 0 || text.includes(was, at + 1)) throw new Error(`src/${file}.ts must have this once: ${was}`);
      return { line: text.slice(0, at).split('\n').length, was, is, text: text.slice(0, at) + is + text.slice(at + was.length) };
    });
}

function spread(faults: readonly Fault[], count: number): Fault[] {
  const step = faults.length / count;
  return step <= 1 ? [...faults] : Array.from({ length: count }, (_, index) => faults[Math.floor((index + 0.5) * step)] as Fault);
}

/** The files in which an area has its faults. */
export function filesOf({ files, faults = [] }: Area): string[] {
  return [...(files ?? new Set(faults.map(([file]) => file)))];
}

/** All faults of a file, in its order. Types, comments and imports have none. */
function faultsOf(text: string): Fault[] {
  const lines = text.split('\n');
  const isCode = (line: string) => !/^\s*(\*|\/\*|\/\/|import |export type|type |readonly )|: (boolean|true|false)\b/.test(line);
  return lines.flatMap((line, index) =>
    isCode(line)
      ? changes.flatMap(([from, to]) =>
          [...line.matchAll(from)].map((match) => {
            const changed = line.slice(0, match.index) + to + line.slice(match.index + match[0].length);
            return { line: index + 1, was: line.trim(), is: changed.trim(), text: lines.with(index, changed).join('\n') };
          }),
        )
      : [],
  );
}
