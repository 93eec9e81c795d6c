import { printable } from './printable.ts';

/** Formats rows as indented lines with aligned columns. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const texts = rows.map((row) => row.map(printable));
  const widths = (texts[0] ?? []).map((_cell, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0)));
  return texts.map((row) => `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd()).join('\n');
}
