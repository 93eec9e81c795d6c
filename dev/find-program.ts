import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { installPackages, mayInstall } from './apt-get.ts';
import { type Log, logToStderr } from './log.ts';

/** A program that some tests need, and that Debian has. */
export interface Program {
  /** What messages call it. */
  readonly name: string;
  /** The variable that may name its file. */
  readonly variable: string;
  /** The names of its file. */
  readonly names: readonly string[];
  /** Folders that have it beside those of the PATH. @default none */
  readonly folders?: readonly string[];
  /** The packages of Debian: that of the program, and what it needs. */
  readonly packages: readonly [string, ...string[]];
}

/** What the search asks of the machine. Tests give their own answers. */
export interface ProgramMachine {
  readonly env: NodeJS.ProcessEnv;
  isExecutable(path: string): Promise<boolean>;
  /** Whether this user may install packages. */
  readonly mayInstall: boolean;
  install(packages: readonly string[]): Promise<void>;
}

/**
 * Finds a program: that of its variable, else on the PATH; else root of a Debian installs it. Rejects with what to do
 * when nothing is left, and when the variable names no executable file.
 */
export async function findProgram(program: Program, log: Log = logToStderr, machine: ProgramMachine = thisMachine): Promise<string> {
  const { name, variable, names, packages } = program;
  const { env, isExecutable } = machine;
  const given = env[variable];
  if (given) {
    if (await isExecutable(given)) return given;
    throw new Error(`${variable} is '${given}', which is not an executable file. Correct or unset it.`);
  }
  const found = await findFile(program, machine);
  if (found) return found;
  const advice = `Install it (Debian: apt-get install ${packages.join(' ')}), or set ${variable}.`;
  if (!machine.mayInstall) throw new Error(`No ${name} is on the PATH (${names.join(', ')}). ${advice}`);
  log(`${name.toLowerCase()}: installing it by apt-get`);
  await machine.install(packages).catch((error: Error) => {
    throw new Error(`${name} could not be installed: ${error.message}. ${advice}`);
  });
  const installed = await findFile(program, machine);
  if (installed) return installed;
  throw new Error(`apt-get has installed the package ${packages[0]}, and there is none on the PATH. Set ${variable}.`);
}

async function findFile({ names, folders = [] }: Program, { env, isExecutable }: ProgramMachine): Promise<string | undefined> {
  for (const folder of [...(env.PATH ?? '').split(delimiter).filter(Boolean), ...folders]) {
    for (const name of names) {
      const path = join(folder, name);
      if (await isExecutable(path)) return path;
    }
  }
  return undefined;
}

const thisMachine: ProgramMachine = {
  env: process.env,
  isExecutable: (path) =>
    access(path, constants.X_OK).then(
      () => true,
      () => false,
    ),
  mayInstall,
  install: installPackages,
};
