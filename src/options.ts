import { didYouMean, nearest, showName } from './hints.ts';
import { refuse } from './mistakes.ts';

/** What is legal for one option: a test, words that follow "must be", and what holds if it is left out. */
export type Legal = readonly [isLegal: (value: unknown) => boolean, words: string, leftOut?: 'required' | { readonly default: unknown }];

/** What is legal for an option that has a default. */
export type WithDefault<Value = unknown> = readonly [Legal[0], words: string, leftOut: { readonly default: Value }];

/** The options that a function takes, each with what is legal for it. */
export type LegalOptions<Options> = { readonly [Name in keyof Options]-?: Legal };

/** Options whose defaults are filled in. */
export type Filled<Options, L> = Options & {
  readonly [Name in keyof Options as Name extends keyof L ? (L[Name] extends WithDefault ? Name : never) : never]-?: Exclude<
    Options[Name],
    undefined
  >;
};

export const aFunction: Legal = [(value) => typeof value === 'function', 'a function'];
export const trueOrFalse: Legal = [(value) => typeof value === 'boolean', 'true or false'];
export const aString: Legal = [(value) => typeof value === 'string' && value !== '', 'a string that is not empty'];

/** The value is checked where it is used, with more to say about it. */
export const checkedLater: Legal = [() => true, ''];

/** A whole number within two bounds; `unit` is what it counts, such as ` of bytes`. */
export function aWholeNumber(least: number, most = Number.MAX_SAFE_INTEGER, unit = ''): Legal {
  const range = most < Number.MAX_SAFE_INTEGER ? ` from ${least} to ${most}` : `${unit === '' ? ' of' : ','} at least ${least}`;
  const isLegal = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most;
  return [isLegal, `a whole number${unit}${range}`];
}

/**
 * A time limit in milliseconds; 0 would mean no limit to the database. Ours is a second longer than the database's, and
 * Node's timers wait for 2^31 − 1 at most: a longer one would end at once.
 */
export const aTimeLimit = aWholeNumber(1, 2 ** 31 - 1 - 1_000, ' of milliseconds');

/** A number of milliseconds that Node's timers can wait for. */
export function milliseconds(least: number): Legal {
  return aWholeNumber(least, 2 ** 31 - 1, ' of milliseconds');
}

/** A number of days as a text, such as the example. */
export function aNumberOfDays(example: string): Legal {
  return [(value) => typeof value === 'string' && /^[1-9]\d{0,4}d$/.test(value), `a number of days, such as '${example}'`];
}

/** One of some values. */
export function oneOf(...values: readonly unknown[]): Legal {
  return [(value) => values.includes(value), `one of ${values.join(', ')}`];
}

/** An array, `items` in words, each of which passes a test. */
export function anArrayOf(items: string, isItem: (item: unknown) => boolean = () => true): Legal {
  return [(value) => Array.isArray(value) && value.every(isItem), `an array of ${items}`];
}

/** An object of named things. */
export function anObject(words: string): Legal {
  return [isTable, words];
}

/** Whether a value is an object of named things, of whatever class. */
export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same option where it must be there. */
export function required([isLegal, words]: Legal): Legal {
  return [isLegal, words, 'required'];
}

/** The same option where undefined means that it was left out. */
export function orUndefined([isLegal, words]: Legal): Legal {
  return [(value) => value === undefined || isLegal(value), words];
}

/** An option with its default, which undefined means as well. */
export function byDefault<Value>(value: Value, legal: Legal): WithDefault<Value> {
  const [isLegal, words] = orUndefined(legal);
  return [isLegal, words, { default: value }];
}

/** The default of an option, for one who asks others for it before. */
export function defaultOf<Value>([, , leftOut]: WithDefault<Value>): Value {
  return leftOut.default;
}

/**
 * Finds everything that is wrong with an options object, one sentence for each mistake: names that do not exist, values
 * that are not legal, and required options that are missing, unless one is merely misspelt. `where` is what takes the
 * options. An option that is there and undefined is a mistake, too, unless it has a default or `orUndefined` allows it:
 * a guard or a scope that is undefined by accident must not read as none.
 */
export function findMistakes<Options extends object>(options: unknown, legal: LegalOptions<Options>, where: string): string[] {
  const names = Object.keys(legal);
  if (!isTable(options)) return [`The options of ${where} must be an object of ${names.join(', ')}.`];
  const mistakes = findUnknown('option', Object.keys(options), names, where);
  for (const name of names) mistakes.push(...findIllegal(name, options, legal[name as keyof Options], names, where));
  return mistakes;
}

/** Throws everything that {@link findMistakes} finds, and returns the options with their defaults. */
export function checkOptions<Options extends object, const L extends LegalOptions<Options>>(
  options: Options,
  legal: L,
  where: string,
): Filled<Options, L> {
  refuse(findMistakes(options, legal, where));
  return fillIn(options, legal);
}

/** Adds the defaults of those options that were left out. What an object of a class inherits is taken, too. */
export function fillIn<Options extends object, const L extends Readonly<Record<string, Legal>>>(
  options: Options,
  legal: L,
): Filled<Options, L> {
  const filled = { ...options } as Record<string, unknown>;
  for (const [name, [, , leftOut]] of Object.entries(legal)) {
    if (name in options) filled[name] = options[name as keyof Options];
    if (typeof leftOut === 'object' && filled[name] === undefined) filled[name] = leftOut.default; // null is a mistake
  }
  return filled as Filled<Options, L>;
}

/** Returns those of the options that a table has, with their defaults. Throws if one of them is not legal. */
export function pickOptions<const L extends Readonly<Record<string, WithDefault>>>(
  options: { readonly [Name in keyof L]?: unknown },
  legal: L,
): { readonly [Name in keyof L]: L[Name][2]['default'] } {
  const filled = fillIn(options as Readonly<Record<string, unknown>>, legal) as Readonly<Record<string, unknown>>;
  const all = Object.entries(legal);
  refuse(all.flatMap(([name, [isLegal, words]]) => (isLegal(filled[name]) ? [] : [`\`${name}\` must be ${words}.`])));
  return Object.fromEntries(all.map(([name]) => [name, filled[name]])) as never;
}

/**
 * Returns the options for a part of a definition that reads those in `names`, which are checked before. Another part
 * checks all options: both throw the same messages, so that each is reported once.
 */
export function readOptions<Options extends object>(
  options: Options,
  names: readonly (keyof Options & string)[],
  legal: LegalOptions<Options>,
  where: string,
): Options {
  const all = Object.keys(legal);
  for (const name of names) {
    refuseMisspelt(name, options, all, where);
    refuse(findIllegal(name, options, legal[name], all, where));
  }
  return options;
}

/**
 * Refuses a misspelt option that is probably meant for the absent option `name`, so that this is reported, and not that
 * the option is missing.
 */
export function refuseMisspelt(name: string, options: object, legal: readonly string[], where: string): void {
  refuse(findUnknown('option', findMisspelt(name, options, legal), legal, where));
}

/** Checks one value; `subject` begins the sentence about it, such as "`maxTimeMS`". */
export function checkValue(subject: string, value: unknown, [isLegal, words]: Legal): void {
  if (!isLegal(value)) refuse([`${subject} must be ${words}.`]);
}

/** Refuses names that do not exist, each with the nearest that does. */
export function checkNames(what: string, names: readonly unknown[], legal: readonly string[], where: string): void {
  refuse(findUnknown(what, names, legal, where));
}

function findIllegal(name: string, options: object, [isLegal, words, leftOut]: Legal, names: readonly string[], where: string): string[] {
  const isRequired = leftOut === 'required';
  const isToCheck = name in options || (isRequired && findMisspelt(name, options, names).length === 0);
  if (!isToCheck || isLegal((options as Readonly<Record<string, unknown>>)[name])) return [];
  return [`\`${name}\` of ${where} must be ${words}${isRequired ? '' : ', or be left out'}.`];
}

/** The misspelt options that are probably meant for an absent one. */
function findMisspelt(name: string, options: object, legal: readonly string[]): string[] {
  if (name in options) return [];
  return Object.keys(options).filter((one) => !legal.includes(one) && nearest(one, legal) === name);
}

function findUnknown(what: string, names: readonly unknown[], legal: readonly string[], where: string): string[] {
  return names
    .filter((name) => !legal.includes(name as string))
    .map(
      (name) =>
        `\`${showName(name)}\` is not ${withArticle(what)} of ${where}${didYouMean(name, legal, '.')} Allowed: ${legal.join(', ')}.`,
    );
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;
}
