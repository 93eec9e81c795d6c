import { ConfigurationError } from '../../errors.ts';
import { showName } from '../../hints.ts';

/**
 * Reads the option `trustedOrigins` of a middleware. Refuses an origin in a form that browsers do not send: it would
 * never match.
 */
export function readTrustedOrigins(origins: readonly unknown[], where: string): ReadonlySet<string> {
  for (const origin of origins) {
    if (typeof origin === 'string' && URL.canParse(origin) && new URL(origin).origin === origin && origin !== 'null') continue;
    throw new ConfigurationError(
      `\`trustedOrigins\` of ${where} must be origins as browsers send them, such as \`https://app.example\` or \`http://localhost:3000\`; \`${showName(origin)}\` is not one.`,
    );
  }
  return new Set(origins as readonly string[]);
}
