import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { Audit } from '../../audit/audit-collection.ts';
import { UsageError } from '../usage-error.ts';

/** How often the file is written, in milliseconds. */
const intervalMS = 1_000;

/** What audits have found so far, kept in a file. */
export interface State {
  /** The audit of a model that is to go on. */
  find(model: string): Audit | undefined;
  /** Keeps the newest result of an audit: in the file at once, or a second later. */
  keep(audit: Audit): Promise<void>;
  /** Writes the file. If all audits are complete, those in the file too, it is removed: there is nothing to go on from. */
  close(isComplete: boolean): Promise<void>;
}

/** Opens the state of a file, which need not exist. Without a path, nothing is kept. */
export async function openState(path: string | undefined): Promise<State> {
  if (path === undefined) return { find: () => undefined, keep: async () => {}, close: async () => {} };
  const audits = new Map((await read(path)).map((audit) => [audit.model, audit]));
  let writtenAt = Number.NEGATIVE_INFINITY;

  // A process that is killed while it writes leaves the old file.
  async function save(): Promise<void> {
    try {
      await writeFile(`${path}.new`, `${JSON.stringify({ audits: [...audits.values()] })}\n`);
      await rename(`${path}.new`, path as string);
    } catch (cause) {
      throw new UsageError(`The state cannot be written: ${(cause as Error).message}`, { cause });
    }
    writtenAt = performance.now();
  }

  return {
    find: (model) => audits.get(model),
    async keep(audit) {
      audits.set(audit.model, audit);
      if (performance.now() - writtenAt >= intervalMS) await save();
    },
    async close(isComplete) {
      if (isComplete && [...audits.values()].every((one) => one.isComplete)) await rm(path, { force: true });
      else if (audits.size > 0) await save();
    },
  };
}

async function read(path: string): Promise<readonly Audit[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === 'ENOENT') return [];
    throw new UsageError(`The state cannot be read: ${(error as Error).message}`);
  }
  try {
    const { audits } = JSON.parse(text);
    if (Array.isArray(audits) && audits.every((audit) => typeof audit?.model === 'string')) return audits;
  } catch {
    // not JSON: refused below
  }
  throw new UsageError(`${path} is not the state of an audit. Name another file, or remove it.`);
}
