import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';
import { root } from './pages.ts';

/** What TypeScript says of a line of a file. */
export interface TypeMistake {
  /** The name of the file, as it was given. */
  readonly file: string;
  /** The number of the line, from 1. */
  readonly line: number;
  /** Its further lines are indented. */
  readonly message: string;
}

const compiler = join(root, 'node_modules/typescript-newest/bin/tsc');

/**
 * Compiles files with the options of the repository and further ones, in one program. They stand in a folder from which
 * its sources are `../../src`, and the package has its name.
 */
export async function findTypeErrors(files: Readonly<Record<string, string>>, further: object = {}): Promise<TypeMistake[]> {
  await mkdir(join(root, '.tmp'), { recursive: true });
  const folder = await mkdtemp(join(root, '.tmp/types-'));
  try {
    for (const [file, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), text);
    }
    const compilerOptions = { incremental: false, tsBuildInfoFile: null, ...further };
    const config = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files: Object.keys(files) };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config));
    return readMistakes(await compile(folder), folder);
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function compile(folder: string): Promise<string> {
  const options = { cwd: folder, maxBuffer: 64 * 1024 ** 2 };
  const run = promisify(execFile)(process.execPath, [compiler, '--pretty', 'false', '--project', '.'], options);
  const { stdout } = await run.catch((error: { readonly stdout?: string }) => {
    if (!error.stdout) throw error;
    return { stdout: error.stdout };
  });
  return stdout;
}

/** Reads `file(line,column): error TS2322: message`, whose further lines are indented. */
function readMistakes(output: string, folder: string): TypeMistake[] {
  return output.split(/\n(?!\s)/).flatMap((text) => {
    if (text.trim() === '') return [];
    const [, path = '', line, message = text] = /^(.*?)\((\d+),\d+\): error TS\d+: (.*)$/s.exec(text) ?? [];
    return [{ file: relative(folder, join(folder, path)), line: Number(line ?? 0), message: message.trimEnd() }];
  });
}
