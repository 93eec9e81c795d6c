import { printable } from './printable.ts';

/** Formats rows as lines with aligned columns. */
export function formatTable(rows: readonly (readonly string[])[], indent = ''): string {
  const texts = rows.map((row) => row.map(printable));
  const widths = (texts[0] ?? []).map((_cell, column) => Math.max(...texts.map((row) => row[column]?.length ?? 0)));
  return texts.map((row) => `${indent}${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd()).join('\n');
}
