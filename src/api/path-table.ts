/** What a path leads to, and the parameters that it has. */
export interface Found<Target> {
  readonly target: Target;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds what a path leads to; its segments are as they stand in the path, percent-encoded. */
export type FindPath<Target> = (segments: readonly string[]) => Found<Target> | undefined;

interface Branch<Target> {
  readonly literals: Map<string, Branch<Target>>;
  parameter?: Branch<Target>;
  /** Where a pattern ends here. */
  end?: { readonly target: Target; readonly names: readonly (string | undefined)[] };
}

/**
 * Compiles patterns such as `/:id/lines/:line` into a tree of their segments. A literal goes before a parameter, from left to right: the first
 * segment in which two patterns differ decides, `/:id/lines/last` goes before `/:id/:part/last`. A branch that leads nowhere is left again.
 * Segments are compared decoded (RFC 3986 §6.2.2.2): what a parameter would take for `overdue` is `/overdue`. None is empty, and what is no
 * percent-encoding of UTF-8 leads nowhere: as the text that it is, a parameter would have it at a second path.
 */
export function compilePaths<Target>(patterns: ReadonlyMap<string, Target>): FindPath<Target> {
  const root = branch<Target>();
  for (const [pattern, target] of patterns) {
    const segments = segmentsOf(pattern);
    const names = segments.map((segment) => (segment.startsWith(':') ? segment.slice(1) : undefined));
    segments.reduce(grow, root).end ??= { target, names };
  }
  return function find(encoded) {
    const segments = decodeAll(encoded);
    if (!segments || segments.includes('')) return undefined;
    const end = walk(root, segments, 0);
    if (!end) return undefined;
    const params = end.names.flatMap((name, index) => (name === undefined ? [] : [[name, segments[index] as string] as const]));
    return { target: end.target, params: Object.fromEntries(params) };
  };
}

/** The segments of a path: none of `/`, and of nothing. */
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

function decodeAll(segments: readonly string[]): string[] | undefined {
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
