/** A bar of a chart. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  readonly isOurs: boolean;
}

const [rowHeight, labelWidth, barWidth, padding] = [24, 280, 360, 12];

/** Horizontal bars as SVG, readable on light and dark pages. */
export function drawBars(title: string, unit: string, bars: readonly Bar[]): string {
  const most = Math.max(...bars.map(({ value }) => value));
  const height = padding * 2 + 28 + bars.length * rowHeight;
  const width = labelWidth + barWidth + 120;
  const rows = bars.map(({ label, value, isOurs }, index) => {
    const y = padding + 28 + index * rowHeight;
    const length = Math.max(1, Math.round((value / most) * barWidth));
    return `  <text x="${labelWidth - 8}" y="${y + 15}" text-anchor="end"${isOurs ? ' font-weight="bold"' : ''}>${escapeText(label)}</text>
  <rect x="${labelWidth}" y="${y + 3}" width="${length}" height="${rowHeight - 8}" rx="2" fill="${isOurs ? '#2563eb' : '#9ca3af'}"/>
  <text x="${labelWidth + length + 6}" y="${y + 15}">${Math.round(value)} ${unit}</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13">
  <title>${escapeText(title)}</title>
  <style>text { fill: #1f2937 } @media (prefers-color-scheme: dark) { text { fill: #e5e7eb } }</style>
  <text x="${padding}" y="${padding + 14}" font-weight="bold" font-size="14">${escapeText(title)}</text>
${rows.join('\n')}
</svg>
`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
