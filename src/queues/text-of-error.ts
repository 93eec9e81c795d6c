/** The longest text of an error that is kept, in bytes. */
const mostOfError = 1024;

/** The text of an error, cut between characters. */
export function textOfError(error: unknown): string {
  const text = spell(error);
  const bytes = Buffer.from(text);
  return bytes.length <= mostOfError
    ? text
    : bytes
        .subarray(0, mostOfError)
        .toString()
        .replace(/\uFFFD+$/, '');
}

/** Anything may be thrown, also what has no text. */
function spell(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return 'An error without a text.';
  }
}
