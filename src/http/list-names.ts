const maxNames = 10;

/**
 * The names that a message lists, the first ten of them.
 *
 * @example
 * listNames(['open', 'paid']) // 'open, paid'
 */
export function listNames(names: Iterable<string>): string {
  const all = [...names];
  return all.length > maxNames ? `${all.slice(0, maxNames).join(', ')}, …` : all.join(', ');
}
