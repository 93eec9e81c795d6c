/**
 * Characters that would do something in a terminal. Stored keys, the names of indexes and the messages of errors may
 * hold any.
 */
const active = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A text in one line, with such characters as `\u{1b}`. */
export function printable(text: string): string {
  return text.replace(active, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);
}

/** The same of a text in several lines. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n');
}

/** The same value as JSON, indented, in which such characters are escaped as JSON has it. */
export function printableJson(value: unknown): string {
  const lines = JSON.stringify(value, undefined, 2).split('\n');
  return lines.map((line) => line.replace(active, escapeUnits)).join('\n');
}

function escapeUnits(character: string): string {
  return character.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
