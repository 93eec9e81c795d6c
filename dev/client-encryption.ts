import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installPackages, mayInstall } from './apt-get.ts';
import { installOnce } from './install-once.ts';
import type { Log } from './log.ts';
import { runSilently } from './run.ts';
import { fetchPinned, unpackMember, type WheelFile } from './wheel.ts';

/** The native module of the driver for encrypted fields, and what its source is compiled with. */
const packages = ['mongodb-client-encryption@7.2.1', 'node-api-headers@1.9.0'];

/** The library that the module wraps, of the same minor version or a newer one, for Linux on x86-64. */
const library: WheelFile = {
  requirement: 'pymongocrypt==1.21.2',
  file: 'pymongocrypt-1.21.2-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl',
  sha256: '6282613225e018cbad40c7e9004b6cecca7fd35ead2a7577d5c166309119c326',
};

/**
 * Installs `mongodb-client-encryption` into the cache, unless it is there: the driver needs it for encrypted fields.
 * The module is downloaded from GitHub; where that cannot be reached, it is compiled from the sources of its npm
 * package with the library of a Python wheel. Rejects with what to do if there is no compiler.
 *
 * @returns the `node_modules` that has it
 */
export async function installClientEncryption(cache: string, log: Log): Promise<string> {
  const target = join(cache, 'client-encryption-7.2.1');
  await installOnce(target, 'client encryption', log, async (folder) => {
    await install(folder, log);
    return folder;
  });
  return join(target, 'node_modules');
}

async function install(folder: string, log: Log): Promise<void> {
  log(`client encryption: installing ${packages[0]}`);
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  await runSilently('npm', ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', ...packages]);
  const module = join(folder, 'node_modules/mongodb-client-encryption');
  try {
    await runSilently(process.execPath, [join(folder, 'node_modules/prebuild-install/bin.js'), '--runtime', 'napi'], module);
  } catch (error) {
    log(`client encryption: no build from GitHub (${(error as Error).message}), so it is compiled`);
    await compile(folder, module, log);
  }
  await runSilently(process.execPath, ['-e', `require(${JSON.stringify(module)})`]); // what cannot be loaded is not kept
}

async function compile(folder: string, module: string, log: Log): Promise<void> {
  if (process.platform !== 'linux' || process.arch !== 'x64') throw new Error('it can be compiled for Linux on x86-64 only');
  const wheel = await fetchPinned(library, folder);
  const release = join(module, 'build/Release');
  const include = join(folder, 'include');
  const shared = join(release, 'libmongocrypt.so.0'); // the name by which the linker asks for it
  await mkdir(release, { recursive: true });
  await mkdir(join(include, 'mongocrypt'), { recursive: true });
  await unpackMember(wheel, 'pymongocrypt/libmongocrypt.so', shared);
  await unpackMember(wheel, 'pymongocrypt/binding.py', join(folder, 'binding.py'));
  const [, declarations] = /ffi\.cdef\(\s*"""([\s\S]*?)"""/.exec(await readFile(join(folder, 'binding.py'), 'utf8')) ?? [];
  if (declarations === undefined) throw new Error(`${library.requirement} has no declarations of its library`);
  const header = `#pragma once\n#include <stdbool.h>\n#include <stdint.h>\nextern "C" {\n${declarations}\n}\n`;
  await writeFile(join(include, 'mongocrypt/mongocrypt.h'), header);
  const headers = [include, join(folder, 'node_modules/node-addon-api'), join(folder, 'node_modules/node-api-headers/include')];
  // Node's own cryptography is called through JavaScript then, and no headers of OpenSSL are needed.
  const defines = ['MONGOCRYPT_AVOID_OPENSSL_CRYPTO', 'NAPI_CPP_EXCEPTIONS', 'NODE_GYP_MODULE_NAME=mongocrypt'];
  await runSilently(await findCompiler(log), [
    ...['-std=c++17', '-O1', '-shared', '-fPIC', '-Wl,-z,now,-rpath,$ORIGIN'],
    ...defines.map((define) => `-D${define}`),
    ...headers.map((folder) => `-I${folder}`),
    ...['mongocrypt.cc', 'openssl-crypto.cc'].map((source) => join(module, 'addon', source)),
    ...[shared, '-o', join(release, 'mongocrypt.node')],
  ]);
}

/** The compiler of the machine, which root of a Debian installs if there is none. */
async function findCompiler(log: Log): Promise<string> {
  const compiler = process.env.CXX || 'c++';
  const isThere = () =>
    runSilently(compiler, ['--version']).then(
      () => true,
      () => false,
    );
  if (await isThere()) return compiler;
  if (process.env.CXX || !mayInstall) throw new Error(`There is no compiler \`${compiler}\`. Install one, such as g++, or set CXX.`);
  log('client encryption: installing g++ by apt-get');
  await installPackages(['g++']);
  return compiler;
}
