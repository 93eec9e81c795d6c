#!/usr/bin/env node
import { run } from './run.ts';

const ignoreClosed = (error: NodeJS.ErrnoException): void => {
  if (error.code !== 'EPIPE') throw error; // `| head` reads no further
};
for (const stream of [process.stdout, process.stderr]) stream.on('error', ignoreClosed);

const exitStatus = await run(process.argv.slice(2), {
  write: (text) => void process.stdout.write(text),
  tell: (message) => void process.stderr.write(`${message}\n`),
});

// The module may have left something open, such as a connection or a timer. What was written must arrive before the
// process ends.
process.stdout.write('', () => process.stderr.write('', () => process.exit(exitStatus)));
