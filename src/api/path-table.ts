/** The target of a path, and the values of its parameters. */
export interface Found<Target> {
  readonly target: Target;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds the target of a path, given by its percent-encoded segments. */
export type FindPath<Target> = (segments: readonly string[]) => Found<Target> | undefined;

interface Branch<Target> {
  readonly literals: Map<string, Branch<Target>>;
  parameter?: Branch<Target>;
  /** Set if a pattern ends here. */
  end?: { readonly target: Target; readonly names: readonly { readonly name: string; readonly at: number }[] };
}

/**
 * Compiles patterns such as `/:id/lines/:line` into a tree of their segments. If several patterns match, the first
 * segment in which they differ decides, and there a literal wins over a parameter: `/:id/lines/last` over
 * `/:id/:part/last`. If a branch has no match, the others are tried. Segments are compared decoded (RFC 3986 §6.2.2.2),
 * so that `/%6Fverdue` is `/overdue`. Paths with an empty segment, or with one that is not percent-encoded UTF-8, match
 * nothing: as raw text, a parameter value would have a second path.
 */
export function compilePaths<Target>(patterns: ReadonlyMap<string, Target>): FindPath<Target> {
  const root = branch<Target>();
  for (const [pattern, target] of patterns) {
    const segments = segmentsOf(pattern);
    const names = segments.flatMap((segment, at) => (segment.startsWith(':') ? [{ name: segment.slice(1), at }] : []));
    segments.reduce(grow, root).end ??= { target, names };
  }
  return function find(encoded) {
    const segments = decodeAll(encoded);
    if (!segments || segments.includes('')) return undefined;
    const end = walk(root, segments, 0);
    if (!end) return undefined;
    return { target: end.target, params: Object.fromEntries(end.names.map(({ name, at }) => [name, segments[at] as string])) };
  };
}

/** The segments of a path; `/` and the empty path have none. */
export function segmentsOf(path: string): string[] {
  return path === '' || path === '/' ? [] : path.slice(1).split('/');
}

function branch<Target>(): Branch<Target> {
  return { literals: new Map() };
}

function grow<Target>(from: Branch<Target>, segment: string): Branch<Target> {
  if (segment.startsWith(':')) {
    from.parameter ??= branch();
    return from.parameter;
  }
  const next = from.literals.get(segment) ?? branch<Target>();
  from.literals.set(segment, next);
  return next;
}

function walk<Target>(from: Branch<Target>, segments: readonly string[], at: number): Branch<Target>['end'] {
  const segment = segments[at];
  if (segment === undefined) return from.end;
  const literal = from.literals.get(segment);
  return (literal && walk(literal, segments, at + 1)) ?? (from.parameter && walk(from.parameter, segments, at + 1));
}

/** Without a percent sign there is nothing to decode. */
function decodeSegment(segment: string): string {
  return segment.includes('%') ? decodeURIComponent(segment) : segment;
}

function decodeAll(segments: readonly string[]): string[] | undefined {
  try {
    return segments.map(decodeSegment);
  } catch {
    return undefined;
  }
}
