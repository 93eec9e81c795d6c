import { ConfigurationError } from '../../errors.ts';
import { didYouMean } from '../../hints.ts';

/** Refuses names that do not exist, with the nearest that does. */
export function checkNames(what: string, names: readonly string[], legal: readonly string[], where: string): void {
  for (const name of names) {
    if (legal.includes(name)) continue;
    const article = /^[aeiou]/.test(what) ? 'an' : 'a';
    const hint = didYouMean(name, legal, '.');
    throw new ConfigurationError(`\`${name}\` is not ${article} ${what} of ${where}${hint} Legal are ${legal.join(', ')}.`);
  }
}

/** The names of the options that something was given. */
export function namesIn(options: unknown, where: string): string[] {
  if (typeof options === 'object' && options !== null) return Object.keys(options);
  throw new ConfigurationError(`The options of ${where} must be an object.`);
}
