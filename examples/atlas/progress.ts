const width = 24;

/** Shows how far it is: one line that is drawn again and again in a terminal, and a line for every tenth elsewhere. */
export function showProgress(what: string, out: NodeJS.WriteStream = process.stderr): (done: number, total: number) => void {
  let shown = -1;
  return function show(done, total) {
    const step = out.isTTY ? done : Math.floor((10 * done) / total);
    if (step === shown) return;
    shown = step;
    const counts = `${done.toLocaleString('en')} of ${total.toLocaleString('en')} ${what}`;
    if (!out.isTTY) return void out.write(`loaded ${counts}\n`);
    const filled = Math.round((width * done) / total);
    out.write(`\r[${'#'.repeat(filled)}${'-'.repeat(width - filled)}] ${counts}${done === total ? '\n' : ''}`);
  };
}
