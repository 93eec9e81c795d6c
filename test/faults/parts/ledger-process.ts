/**
 * The ledger in a process of its own, which is killed at a place of a request:
 * `ledger-process.ts <uri> <database> <posting> <place>`. The key of the request is the name of the posting.
 */
import { MongoClient } from 'mongodb';
import { makeLedger, post, postings } from './ledger.ts';

const [uri = '', database, name = '', place] = process.argv.slice(2);
const kill = (reached: string) => () => {
  if (reached === place) process.kill(process.pid, 'SIGKILL');
};
const client = await MongoClient.connect(uri);
const posting = postings[name];
if (posting) await post(makeLedger(client.db(database), { within: kill('within'), after: kill('after') }), posting, name);
process.exit(1); // it should have been killed
