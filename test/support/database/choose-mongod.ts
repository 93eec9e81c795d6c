import { cacheFolder } from '../../../dev/cache-folder.ts';
import { logToStderr } from '../../../dev/log.ts';
import { installMongodOnWine } from '../../../dev/mongod-on-wine.ts';

/** Runs once before tests that start MongoDB themselves. */
export default async function choose(): Promise<void> {
  await chooseMongod(process.env, () => installMongodOnWine(cacheFolder(process.env), logToStderr));
}

/**
 * Has tests run on the MongoDB that `TEST_MONGODB` asks for: `7` is MongoDB 7.0 on Wine. Without it, they run on the
 * one that `findMongod` finds. Workers and their processes inherit the choice.
 */
export async function chooseMongod(env: NodeJS.ProcessEnv, install: () => Promise<string>): Promise<void> {
  const { TEST_MONGODB: asked, MONGODB_URI, MONGOMS_SYSTEM_BINARY } = env;
  if (!asked) return;
  if (asked !== '7') throw new Error(`TEST_MONGODB is '${asked}'. It may be 7, for MongoDB 7.0 on Wine.`);
  const mongod = await install();
  if (MONGOMS_SYSTEM_BINARY === mongod) return; // another project of this run has chosen
  if (MONGODB_URI || MONGOMS_SYSTEM_BINARY)
    throw new Error('TEST_MONGODB asks for another MongoDB than MONGODB_URI or MONGOMS_SYSTEM_BINARY names. Unset one of them.');
  env.MONGOMS_SYSTEM_BINARY = mongod;
}
