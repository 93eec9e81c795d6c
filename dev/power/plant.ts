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

/** All faults of a file, in its order. Types, comments and imports have none. */
export function faultsOf(text: string): Fault[] {
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
