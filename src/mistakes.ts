import { ConfigurationError, isConfigurationError } from './errors.ts';

/**
 * Runs the independent parts of a definition, and returns their results in the same order. Every part is run, even if
 * another one throws a {@link ConfigurationError}; then all mistakes are thrown as one. Any other error ends the run at
 * once.
 *
 * A part that needs the result of another one asks for it by {@link once}. If that one has failed, its mistake is
 * thrown again: it is reported once, because equal messages are one mistake.
 */
export function tryAll<const Parts extends readonly (() => unknown)[]>(
  parts: Parts,
): { -readonly [Index in keyof Parts]: ReturnType<Parts[Index]> } {
  const mistakes: ConfigurationError[] = [];
  const results = parts.map((part) => {
    try {
      return part();
    } catch (error) {
      mistakes.push(...mistakesIn(error));
      return undefined;
    }
  });
  if (mistakes.length > 0) throw combine(mistakes);
  return results as never;
}

/** Throws these messages as mistakes, if there are any. */
export function refuse(messages: readonly string[]): void {
  if (messages.length > 0) throw combine(messages.map((message) => new ConfigurationError(message)));
}

/** Runs a part of a definition when its result is asked for the first time, and keeps the result, or the error. */
export function once<Result>(part: () => Result): () => Result {
  let outcome: { readonly result: Result } | { readonly error: unknown } | undefined;
  return function get() {
    outcome ??= attempt(part);
    if ('error' in outcome) throw outcome.error;
    return outcome.result;
  };
}

/**
 * Runs the definition of a resource or a model, such as 'model `Order`'. Mistakes whose message names neither a model
 * nor a resource get this name in front.
 */
export function about<Result>(subject: string, part: () => Result): Result {
  try {
    return part();
  } catch (error) {
    throw combine(mistakesIn(error).map((mistake) => withSubject(subject, mistake)));
  }
}

function attempt<Result>(part: () => Result): { readonly result: Result } | { readonly error: unknown } {
  try {
    return { result: part() };
  } catch (error) {
    return { error };
  }
}

/** The single mistakes of an error; throws every error that is not about the configuration. */
function mistakesIn(error: unknown): readonly ConfigurationError[] {
  if (!isConfigurationError(error)) throw error;
  return error.errors ?? [error];
}

function combine(mistakes: readonly ConfigurationError[]): ConfigurationError {
  const errors = [...new Map(mistakes.map((mistake) => [mistake.message, mistake])).values()];
  const [first, ...others] = errors;
  if (first && others.length === 0) return first;
  for (const error of errors) error.stack = String(error); // Node prints the stacks of all `errors`, with nothing but frames of the library
  return new ConfigurationError(`${errors.length} mistakes:\n${errors.map(({ message }) => `- ${message}`).join('\n')}`, { errors });
}

function withSubject(subject: string, mistake: ConfigurationError): ConfigurationError {
  const { message, cause } = mistake;
  if (/\b(?:model|resource) `/i.test(message) || message.includes(subject)) return mistake;
  const named = `${subject.charAt(0).toUpperCase()}${subject.slice(1)}: ${message}`;
  return new ConfigurationError(named, cause === undefined ? {} : { cause });
}
