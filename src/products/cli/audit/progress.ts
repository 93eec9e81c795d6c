import type { Audit } from '../../audit/audit-collection.ts';
import { printable } from '../printable.ts';

/** How often the bar is drawn, in milliseconds. */
const intervalMS = 100;

const width = 24;

/** A progress bar. */
export interface Progress {
  show(audit: Audit): void;
  clear(): void;
}

/** Opens a progress bar on a terminal. On anything else it shows nothing. */
export function openProgress(output: NodeJS.WriteStream): Progress {
  if (!output.isTTY) return { show() {}, clear() {} };
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    show(audit) {
      if (performance.now() - drawnAt < intervalMS) return;
      drawnAt = performance.now();
      output.write(`\r${drawBar(audit).slice(0, (output.columns ?? 80) - 1)}\u001b[K`);
    },
    clear() {
      if (Number.isFinite(drawnAt)) output.write('\r\u001b[K');
    },
  };
}

function drawBar({ model, records, estimate, misfitting }: Audit): string {
  const share = Math.min(1, records / Math.max(1, estimate));
  const bar = '#'.repeat(Math.floor(share * width)).padEnd(width, '.');
  return `${printable(model)} [${bar}] ${Math.floor(share * 100)} %, ${records} of about ${estimate} records, ${misfitting} do not fit`;
}
