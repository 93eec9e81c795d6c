/** The name by which the environment variable `DEBUG` turns the trace on. */
const name = 'koa-mongo-resource';

/** The detail of values in a trace: their types, or the values themselves. */
export type Detail = 'types' | 'values';

/**
 * The detail that `DEBUG` asks for. Undefined if it does not name the library. It is read as the package `debug` does,
 * which Koa uses: names between commas or spaces, `*` for any text, and `-` before what is left out. Values may be
 * personal data and secrets: no `*` asks for them.
 */
export function readDetail(names: string | undefined): Detail | undefined {
  if (!names) return undefined;
  const all = names.split(/[\s,]+/);
  if (all.some((one) => one.startsWith('-') && isMatch(one.slice(1)))) return undefined;
  if (all.includes(`${name}:values`)) return 'values';
  return all.some(isMatch) ? 'types' : undefined;
}

function isMatch(pattern: string): boolean {
  const source = pattern.replace(/[^\w*-]/g, '\\$&').replace(/\*+/g, '.*');
  return new RegExp(`^${source}$`).test(name);
}

/** Writes to standard error, below the name of the library. */
export function writeTrace(text: string): void {
  process.stderr.write(`${name} ${text}\n`);
}
