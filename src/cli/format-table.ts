/** Formats rows as lines with aligned columns. */
export function formatTable(rows: readonly (readonly string[])[], indent = ''): string {
  const texts = rows.map((row) => row.map(printable));
  const widths = (texts[0] ?? []).map((_cell, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0)));
  return texts.map((row) => `${indent}${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd()).join('\n');
}

/** A text without characters that would do something in a terminal: stored keys and ids may hold any. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);
}
