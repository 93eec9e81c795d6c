import { findMongod } from '../../../dev/find-mongod.ts';

/** Runs a function as if no MongoDB ran for the tests: a server that others use must not be stopped or killed. */
export async function withoutMongod<Result>(run: () => Promise<Result>): Promise<Result> {
  const { MONGODB_URI } = process.env;
  delete process.env.MONGODB_URI;
  try {
    return await run();
  } finally {
    if (MONGODB_URI !== undefined) process.env.MONGODB_URI = MONGODB_URI;
  }
}

/** The path of a mongod, also while another one runs for the tests. */
export async function mongodBinary(): Promise<string> {
  const found = await withoutMongod(() => findMongod(() => undefined));
  if (!('mongod' in found)) throw new Error('no mongod to start');
  return found.mongod;
}
