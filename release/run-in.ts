import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Runs a program in a folder to its end. Returns what it wrote to standard output, and shows what it wrote besides. */
export async function runIn(folder: string, program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${output}`);
  return output.trim();
}
