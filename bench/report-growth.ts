import type { Growth } from './growth/table.ts';
import { mean } from './statistics.ts';

/** The section about what grows. */
export function writeGrowth(growths: readonly Growth[]): string {
  if (growths.length === 0) return 'Not measured: `npm run bench -- --growth` does it.';
  const rows = growths.map(
    ({ what, task, sizes, ours, hand }) =>
      `| ${what} | ${task} | ${sizes.map(inShort).join(', ')} | ${ours.map(inShort).join(', ')} | ${slopeOf(sizes, ours)} | ${slopeOf(sizes.slice(-2), ours.slice(-2))} | ${hand ? slopeOf(sizes, hand) : ''} |`,
  );
  return [
    'How the CPU time of the process grows with the number of something. The exponent is the slope of the logarithms: 0 where the number does not',
    'matter, 1 where the costs are as many. By hand is the same with the driver alone. Requests come one after the other by `api.fetch`, which makes',
    'an answer of Fetch for each, so that the growth can be read here, and not the price.',
    '',
    '| what grows | | sizes | µs | exponent | of the last step | by hand |',
    '|---|---|---|---|--:|--:|--:|',
    ...rows,
    '',
    'Nothing grows faster than its number. A batch sends a command for each of its members, by hand as by the library, and a start compiles each',
    'resource, so that both come near to 1. A change is compared with the lists of its model, and each stream has a share of what the process does',
    'meanwhile. What is below 0 shows that the process was warmer when more was measured.',
  ].join('\n');
}

/** The slope of the line through the logarithms, by least squares. */
function slopeOf(sizes: readonly number[], costs: readonly number[]): string {
  const [x, y] = [sizes.map(Math.log), costs.map(Math.log)];
  const [meanX, meanY] = [mean(x), mean(y)];
  const products = x.map((one, at) => (one - meanX) * ((y[at] as number) - meanY));
  const squares = x.map((one) => (one - meanX) ** 2);
  return (mean(products) / mean(squares)).toFixed(2);
}

/** `1 M`, `20 k`, `1.2 k`. */
function inShort(value: number): string {
  if (value >= 1_000_000) return `${Math.round(value / 100_000) / 10} M`;
  return value >= 10_000 ? `${Math.round(value / 1_000)} k` : `${Math.round(value)}`;
}
