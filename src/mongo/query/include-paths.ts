/** A projection of these paths. One that lies below another is in it already, and would be a conflict. */
export function includePaths(paths: readonly string[]): Record<string, 1> {
  const all = new Set(paths);
  const isBelow = (path: string): boolean =>
    path.split('.').some((_key, index, keys) => index > 0 && all.has(keys.slice(0, index).join('.')));
  return Object.fromEntries([...all].filter((path) => !isBelow(path)).map((path) => [path, 1]));
}
