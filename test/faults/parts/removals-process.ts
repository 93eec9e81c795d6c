/** A worker that is killed: `removals-process.ts <uri> <database>`. It carries out removals of folders. */
import { MongoClient } from 'mongodb';
import { foldersApi } from './folders.ts';

const [, , uri = '', database] = process.argv;
const client = await MongoClient.connect(uri, { appName: 'faults', minHeartbeatFrequencyMS: 20, heartbeatFrequencyMS: 500 });
process.once('disconnect', () => process.exit());
const observe = () => undefined;
await foldersApi(client.db(database)).deliver({ handle: observe, observe, lease: 2_000, poll: 300, retry: { first: 50, longest: 200 } });
process.send?.('ready');
