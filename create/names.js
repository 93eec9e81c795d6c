// @ts-check
import { basename } from 'node:path';
import { Refusal } from './write-app.js';

/** A package cannot depend on one of its own name, and npm refuses the last two. */
const taken = ['koa', 'koa-mongo-resource', 'mongodb', 'pino', 'swagger-ui-dist', 'tsx', 'typescript', 'node_modules', 'favicon.ico'];

/** The databases that MongoDB keeps for itself. */
const ofServer = ['admin', 'config', 'local'];

/**
 * The names of an app that is written into a folder: of its package, and of its database.
 *
 * @param {string} folder its absolute path
 * @returns {{ name: string, database: string }}
 */
export function namesOf(folder) {
  const base = basename(folder);
  const name = base
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '') // é becomes e
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[._-]+|[._-]+$/g, '')
    .slice(0, 100);
  if (name === '')
    throw new Refusal(
      `The package is named after its folder, and "${base}" has none of the letters a to z and digits: choose another one.`,
    );
  if (taken.includes(name))
    throw new Refusal(`The package is named after its folder, and cannot be called ${name}: choose another folder.`);
  const database = name.replace(/[^a-z0-9]/g, '_').slice(0, 60);
  return { name, database: ofServer.includes(database) ? `${database}_app` : database };
}
