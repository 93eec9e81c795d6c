import { ConfigurationError } from '../../errors.ts';
import { didYouMean } from '../../hints.ts';
import { isObject } from '../../model/value/plain-object.ts';

/** The options that something has, each with what is legal for it: as a test, and in words. */
export type LegalOptions<Options> = { readonly [Name in keyof Options]-?: Legal };

/** What is legal for one option: a test, and words. */
export type Legal = readonly [isLegal: (value: unknown) => boolean, legal: string];

/**
 * Refuses options that do not exist, and values that are none; `where` is whose they are. TypeScript does the same where it is used. An option
 * that is there and undefined is refused too: a guard or a scope that is undefined by mistake must not read as none.
 */
export function checkOptions<Options extends object>(options: Options, legal: LegalOptions<Options>, where: string): void {
  const names = Object.keys(legal);
  if (!isObject(options)) throw new ConfigurationError(`The options of ${where} must be an object of ${names.join(', ')}.`);
  checkNames('option', Object.keys(options), names, where);
  for (const [name, [isLegal, words]] of Object.entries<Legal>(legal)) {
    if (name in options && !isLegal((options as Record<string, unknown>)[name])) {
      throw new ConfigurationError(`\`${name}\` of ${where} must be ${words}, or be left out.`);
    }
  }
}

export const aFunction: Legal = [(value) => typeof value === 'function', 'a function'];
export const trueOrFalse: Legal = [(value) => typeof value === 'boolean', 'true or false'];
/** What is checked where it is used, with more to say about it. */
export const checkedLater: Legal = [() => true, ''];

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
