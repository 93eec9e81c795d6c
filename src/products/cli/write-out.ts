import { writeFile } from 'node:fs/promises';
import { UsageError } from './usage-error.ts';

/** The option of commands that write a text. */
export const outOption = { out: { type: 'string', value: 'file', text: 'write to this file' } } as const;

/** Writes a text to standard output, or to the file of the option. `what` begins the message if that fails. */
export async function writeOut(
  text: string,
  what: string,
  { out, write }: { readonly out: string | undefined; write(text: string): void },
): Promise<void> {
  if (out === undefined) write(text);
  else
    await writeFile(out, text).catch((cause: Error) => {
      throw new UsageError(`${what} cannot be written: ${cause.message}`, { cause });
    });
}
