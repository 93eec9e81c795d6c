import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FetchWheel, Wheel } from '../../../dev/wheel.ts';

export const fakeMongod = '#!/bin/sh\necho a mongod\n';

const writeZip = 'import sys, zipfile\nwith zipfile.ZipFile(sys.argv[1], "w") as wheel: wheel.writestr(*sys.argv[2:])';

/** Writes a tiny wheel into the folder. */
export async function makeFakeWheel(folder: string): Promise<Wheel> {
  const wheel = { requirement: 'fake==1.0', file: 'fake-1.0-py3-none-any.whl', member: 'fake.data/purelib/mongod' };
  const path = join(folder, wheel.file);
  execFileSync('python3', ['-c', writeZip, path, wheel.member, fakeMongod]);
  const sha256 = createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
  return { ...wheel, sha256 };
}

/** "Downloads" the wheel from the folder it was made in. */
export function fetchFrom(folder: string): FetchWheel {
  return (wheel, target) => copyFile(join(folder, wheel.file), join(target, wheel.file));
}
