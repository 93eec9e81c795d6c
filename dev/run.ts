import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Runs a command to its end with its output on our standard error, where a download of pip draws its own progress.
 *
 * Rejects when the command does not exist, and when it ends with anything but 0.
 */
export async function runVisibly(command: string, args: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 2, 2] });
  await ended(command, once(child, 'close'));
}

/** As {@link runVisibly}, but silent: what the command wrote to standard error becomes the message of the rejection. */
export async function runSilently(command: string, args: readonly string[], cwd = process.cwd()): Promise<void> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  await ended(command, once(child, 'close'), () => said);
}

async function ended(command: string, close: Promise<unknown[]>, said = () => ''): Promise<void> {
  const [code, signal] = await close.catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new Error(`\`${command}\` is not installed`) : error;
  });
  if (code === 0) return;
  const lastLine = said().trim().split('\n').at(-1);
  throw new Error(lastLine || `\`${command}\` ended with ${signal ?? `code ${code}`}; see its message above`);
}
