import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ConfigurationError } from '../errors.ts';

/** The package whose files the docs page needs: an optional peer dependency, so that whoever wants no page installs nothing. */
const packageName = 'swagger-ui-dist';

/**
 * Reads files of the package, as it is installed beside the library. Once, when an api is created: a request touches no path.
 *
 * Throws {@link ConfigurationError} where the package is missing, is of another major version, or lacks one of the files.
 */
export function readDocsFiles(names: readonly string[], from: string | URL = import.meta.url): ReadonlyMap<string, Buffer> {
  const folder = dirname(findPackage(from));
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  if (!version.startsWith('5.'))
    throw new ConfigurationError(`\`docs\` needs version 5 of the package \`${packageName}\`, not ${version}.`);
  return new Map(names.map((name) => [name, readFile(join(folder, name), name, version)]));
}

function findPackage(from: string | URL): string {
  try {
    return createRequire(from).resolve(`${packageName}/package.json`);
  } catch (cause) {
    throw new ConfigurationError(`\`docs\` needs the package \`${packageName}\`: install it with \`npm install ${packageName}\`.`, {
      cause,
    });
  }
}

function readFile(path: string, name: string, version: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new ConfigurationError(`\`docs\` needs \`${name}\`, which ${packageName} ${version} does not have: update it.`, { cause });
  }
}
