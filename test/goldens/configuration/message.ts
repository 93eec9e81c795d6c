import { ConfigurationError, Problem } from '../../../src/index.ts';

/**
 * The messages that a definition ends in: those of a configuration error, or of another one with its name. None if it
 * is accepted, as is what the database would have to answer, which is not there.
 */
export async function linesOf(build: () => unknown): Promise<string[]> {
  try {
    await build();
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError)
      return (error.errors ?? [error]).map((one) => String(one).slice('ConfigurationError: '.length));
    const { name, message } = error as Error;
    if (error instanceof Problem || /^Mongo/.test(name) || message.includes('the database does not answer')) return [];
    return [error instanceof TypeError ? name : String(error)]; // the engine's own words are those of its version
  }
}
