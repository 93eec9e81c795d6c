import { Problem } from '../../errors.ts';

const quoted = /^"((?:[\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const bare = /^[\x21\x23-\x5b\x5d-\x7e]*$/;

/**
 * Reads the `Idempotency-Key` of a request: a string of a structured field (`"8e03"`, RFC 8941 §3.3.3), as the draft of
 * the header has it, or its characters without quotes, as most clients send it. Both are the same key. It has 1 to 255
 * visible characters of ASCII.
 *
 * Throws `malformed_header` (400) for everything else, such as several keys or parameters.
 */
export function parseIdempotencyKey(header: string): string {
  const key = quoted.exec(header)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? bare.exec(header)?.[0];
  if (key !== undefined && key.length >= 1 && key.length <= 255) return key;
  throw new Problem({
    code: 'malformed_header',
    detail: 'Idempotency-Key must be one string of 1 to 255 visible characters, such as "8e03978e-40d5-43e8-bc93-6894a57f9324".',
  });
}
