import { existsSync } from 'node:fs';

// What the environment sets already counts more than the file.
if (existsSync('.env')) process.loadEnvFile('.env');

export const isProduction = process.env.NODE_ENV === 'production';

/** The replica set of compose.yaml, as this machine reaches it. */
export const localUri = 'mongodb://127.0.0.1:27017/my_app?directConnection=true';

if (!isProduction) process.env.MONGODB_URI ||= localUri; // for koa-mongo-resource, too
if (isProduction && process.env.DEV_TOKEN) refuse('DEV_TOKEN must not be set in production: everybody who knows it would be let in.');

export const mongodbUri = process.env.MONGODB_URI || refuse('Set MONGODB_URI: in production there is no default database.');
export const host = process.env.HOST || '127.0.0.1';
export const port = readPort(process.env.PORT || '3000');

function readPort(text: string): number {
  const port = Number(text);
  return /^\d+$/.test(text) && port <= 65_535 ? port : refuse(`PORT must be a whole number from 0 to 65535; it is "${text}".`);
}

/** Ends the process with a sentence: nothing is wrong with the program. */
function refuse(problem: string): never {
  console.error(problem);
  process.exit(1);
}
