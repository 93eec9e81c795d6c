import { spawnSync } from 'node:child_process';
import { MongoClient } from 'mongodb';
import { localUri, mongodbUri } from '../src/settings.ts';

// Waits until the MongoDB of the settings answers. If it is the one of compose.yaml and does not run, Docker starts it.

async function answers(serverSelectionTimeoutMS: number): Promise<boolean> {
  const client = new MongoClient(mongodbUri, { serverSelectionTimeoutMS });
  try {
    const { setName, msg } = await client.db().command({ hello: 1 });
    if (!setName && msg !== 'isdbgrid') console.warn('This MongoDB is no replica set: transactions will not work.');
    return true;
  } catch {
    return false;
  } finally {
    await client.close();
  }
}

function refuse(problem: string): never {
  console.error(`${problem} Set MONGODB_URI, in .env or in the environment, to a MongoDB that runs as a replica set; README.md says how.`);
  process.exit(1);
}

const isLocal = mongodbUri === localUri;
if (!(await answers(isLocal ? 500 : 5_000))) {
  if (!isLocal) refuse('No MongoDB answers at MONGODB_URI.');
  const { status } = spawnSync('docker', ['compose', 'up', '--detach', '--wait', 'mongo'], { stdio: 'inherit' });
  if (status !== 0) refuse('No MongoDB answers at 127.0.0.1:27017, and Docker could not start one.');
}
