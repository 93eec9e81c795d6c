import { ConfigurationError } from '../../src/errors.ts';
import { t } from '../../src/model/define/t.ts';
import type { Any } from '../support/any.ts';

/** As JavaScript would call it, without the compiler's help. */
export const js: Any = t;

/**
 * The message of the configuration error that a definition ends in, without the name of the model `Thing`; fails where
 * it ends in none.
 */
export function messageOf(build: () => unknown): string {
  try {
    build();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as Error).message.replace('Model `Thing`: ', '');
  }
  throw new Error('nothing was refused');
}
