import { existsSync } from 'node:fs';

// What the environment sets already counts more than the file.
if (existsSync('.env')) process.loadEnvFile('.env');

/** The replica set of compose.yaml, as this machine reaches it. */
export const localUri = 'mongodb://127.0.0.1:27017/my_app?directConnection=true';

process.env.MONGODB_URI ||= localUri; // for koa-mongo-resource, too

export const mongodbUri = process.env.MONGODB_URI;
export const host = process.env.HOST || '127.0.0.1';
export const port = Number(process.env.PORT || 3000);
