import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type Log, logToStderr } from './log.ts';
import { runVisibly } from './run.ts';

/** What the search asks of the machine. Tests give their own answers. */
export interface BrowserMachine {
  readonly env: NodeJS.ProcessEnv;
  isExecutable(path: string): Promise<boolean>;
  /** Whether this user may install packages. */
  readonly mayInstall: boolean;
  /** Installs Chromium by `apt-get`, and a font: without one a page has no text. */
  install(): Promise<void>;
}

/** The names that Chromium goes by, and Chrome, which is as good. */
const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * Finds a Chromium: `CHROMIUM_PATH`, else the PATH; else root of a Debian installs it. Rejects with what to do when
 * nothing is left, and when `CHROMIUM_PATH` names no executable file.
 */
export async function findChromium(log: Log = logToStderr, machine: BrowserMachine = thisMachine()): Promise<string> {
  const { env, isExecutable } = machine;
  if (env.CHROMIUM_PATH) {
    if (await isExecutable(env.CHROMIUM_PATH)) return env.CHROMIUM_PATH;
    throw new Error(`CHROMIUM_PATH is '${env.CHROMIUM_PATH}', which is not an executable file. Correct or unset it.`);
  }
  const found = await findOnPath(machine);
  if (found) return found;
  if (!machine.mayInstall) throw new Error(`No Chromium is on the PATH (${names.join(', ')}). Install it, or set CHROMIUM_PATH.`);
  log('chromium: installing it by apt-get');
  await machine.install().catch((error: Error) => {
    throw new Error(`Chromium could not be installed: ${error.message}. Install it, or set CHROMIUM_PATH.`);
  });
  const installed = await findOnPath(machine);
  if (installed) return installed;
  throw new Error('apt-get has installed the package chromium, and there is none on the PATH. Set CHROMIUM_PATH.');
}

async function findOnPath({ env, isExecutable }: BrowserMachine): Promise<string | undefined> {
  for (const folder of (env.PATH ?? '').split(delimiter).filter(Boolean)) {
    for (const name of names) {
      const path = join(folder, name);
      if (await isExecutable(path)) return path;
    }
  }
  return undefined;
}

function thisMachine(): BrowserMachine {
  return {
    env: process.env,
    isExecutable: (path) =>
      access(path, constants.X_OK).then(
        () => true,
        () => false,
      ),
    mayInstall: process.platform === 'linux' && process.getuid?.() === 0,
    async install() {
      await runVisibly('apt-get', ['update']);
      await runVisibly('apt-get', ['install', '--yes', '--no-install-recommends', 'chromium', 'fonts-liberation']);
    },
  };
}
