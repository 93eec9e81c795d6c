/** The ranges of media types that an `Accept` lists (RFC 9110 §12.5.1), each with its weight. */
interface AcceptedRange {
  readonly range: string;
  readonly weight: number;
}

const TOKEN = /[\w!#$%&'*+.^`|~-]+/.source; // RFC 9110 §5.6.2
const RANGE = new RegExp(`[ \t,]*(${TOKEN}/${TOKEN})`, 'y'); // an element may be empty, §5.6.1.2
const PARAMETER = new RegExp(`[ \t]*;[ \t]*(?:(${TOKEN})=(${TOKEN}|"(?:[^"\\\\]|\\\\.)*"))?`, 'y'); // §5.6.6
const END = /[ \t]*(?:,[ \t,]*|$)/y;
const WEIGHT = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/; // §12.4.2

/** A longer header is not worth reading: no client has so many preferences. */
const longest = 4_096;

/**
 * Chooses between an answer that clients get by default and others that they must ask for by name. A wildcard asks for
 * none of the others. The media type with the greatest weight wins; between equal ones, one that is named in full wins
 * over a wildcard, and then the one that is named first. A header that does not follow the grammar asks for nothing.
 *
 * Returns undefined for the default.
 *
 * @example
 * chooseMediaType('text/csv, application/json;q=0.5', 'application/json', ['text/csv']) // 'text/csv'
 */
export function chooseMediaType<Type extends string>(accept: string | undefined, usual: string, others: readonly Type[]): Type | undefined {
  const ranges = accept === undefined || accept.length > longest ? [] : parseAccept(accept);
  const first = (range: string) => ranges.findIndex((one) => one.range === range);
  const candidates = others
    .map((type) => ({ type, at: first(type), weight: ranges[first(type)]?.weight ?? 0 }))
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight || a.at - b.at);
  const [best] = candidates;
  if (!best) return undefined;
  const usualRange = [usual, usual.replace(/\/.*/, '/*'), '*/*'].find((range) => first(range) >= 0);
  const rival = usualRange === undefined ? undefined : ranges[first(usualRange)];
  if (!rival || rival.weight < best.weight) return best.type;
  if (rival.weight > best.weight) return undefined;
  return rival.range !== usual || best.at < first(usual) ? best.type : undefined;
}

function parseAccept(accept: string): AcceptedRange[] {
  const ranges: AcceptedRange[] = [];
  for (let at = 0; at < accept.length; ) {
    const range = matchAt(RANGE, accept, at);
    if (!range) return [];
    at += range[0].length;
    let weight = 1;
    for (let found = matchAt(PARAMETER, accept, at); found; found = matchAt(PARAMETER, accept, at)) {
      const [whole, name, value = ''] = found;
      at += whole.length;
      if (name?.toLowerCase() === 'q') weight = WEIGHT.test(value) ? Number(value) : Number.NaN;
    }
    const end = matchAt(END, accept, at);
    if (!end || Number.isNaN(weight)) return [];
    at += end[0].length;
    ranges.push({ range: (range[1] as string).toLowerCase(), weight });
  }
  return ranges;
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
