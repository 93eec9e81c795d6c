#!/usr/bin/env node
// @ts-check
import { basename, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { namesOf } from './names.js';
import { writeApp } from './write-app.js';

const usage = `Usage: npm create koa-mongo-resource [folder]

Writes a small app into a new or empty folder: a REST API on Koa and MongoDB in TypeScript, with tests and Docker files.
Its package is named after the folder. Without a folder it asks for one. It uses no network, and overwrites nothing.

  --help  Print this

Exit status: 0 written, 1 refused or failed, 2 bad usage, 130 interrupted.`;

/** Bad usage. */
class UsageError extends Error {}

/** Ctrl-C or Ctrl-D instead of an answer. */
class Interrupted extends Error {}

/** @returns {{ folder: string | undefined, isHelp: boolean }} */
function readArguments() {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { help: { type: 'boolean', short: 'h' } } });
    if (positionals.length > 1) throw new UsageError(`One folder at most; got ${positionals.join(', ')}.`);
    if (positionals[0] === '') throw new UsageError('The name of the folder is empty.');
    return { folder: positionals[0], isHelp: values.help ?? false };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** @returns {Promise<string>} */
function askForFolder() {
  if (!process.stdin.isTTY) throw new UsageError('Name a folder: npm create koa-mongo-resource my-app');
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  return new Promise((resolve, reject) => {
    terminal.once('close', () => reject(new Interrupted()));
    terminal.question('Folder of the new app (my-app): ', (answer) => {
      resolve(answer.trim() || 'my-app');
      terminal.close();
    });
  });
}

/**
 * @param {string} folder
 * @param {string} name
 * @param {number} count
 */
function describe(folder, name, count) {
  const path = relative('', folder);
  const steps = [
    ...(path === '' ? [] : [[`cd ${/^[\w./-]+$/.test(path) ? path : `"${path}"`}`, '']]),
    ['npm install', ''],
    ['npm run dev', 'starts MongoDB (by Docker, unless one runs already) and the server, and again when a file changes'],
    ['npm test', 'the tests, with the same MongoDB'],
  ];
  const width = Math.max(...steps.map(([command = '']) => command.length));
  const lines = steps.map(([command = '', what]) => (what ? `  ${command.padEnd(width)}  # ${what}` : `  ${command}`));
  const named = name === basename(folder) ? '' : ` Its package is called ${name}.`;
  return `Wrote ${count} files to ${path === '' ? 'this folder' : path}.${named} Next:\n\n${lines.join('\n')}\n\nIts README.md says the rest; without Docker, set MONGODB_URI.`;
}

/** @returns {Promise<number>} the exit status */
async function main() {
  try {
    const { folder, isHelp } = readArguments();
    if (isHelp) {
      console.log(usage);
      return 0;
    }
    const target = resolve(folder ?? (await askForFolder()));
    const names = namesOf(target);
    const written = await writeApp(target, names);
    console.log(describe(target, names.name, written.length));
    return 0;
  } catch (error) {
    if (error instanceof Interrupted) return 130;
    if (error instanceof UsageError) {
      console.error(`${error.message}\n\n${usage}`);
      return 2;
    }
    console.error(error instanceof Error ? error.message : error);
    return 1;
  }
}

process.exitCode = await main();
