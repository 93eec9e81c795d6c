const maxNames = 10;

/**
 * The names that a message lists, the first ten of them.
 *
 * @example
 * listNames(['open', 'paid']) // 'open, paid'
 */
export function listNames(names: Iterable<string>): string {
  const all = [...names];
  return `${firstNames(all).join(', ')}${all.length > maxNames ? ', …' : ''}`;
}

/** Those that {@link listNames} lists: what programs are told is no longer than what people are. */
export function firstNames<Name>(names: Iterable<Name>): Name[] {
  return [...names].slice(0, maxNames);
}
