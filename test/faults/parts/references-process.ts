/**
 * A process of its own that serves projects, their jobs and their steps until it is killed:
 * `references-process.ts <uri> <database> <maxLatches>`. It sends its port.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MongoClient } from 'mongodb';
import { service } from '../../../src/index.ts';
import { Job, Project, Step } from '../../support/models/workspace.ts';

const [, , uri = '', database, maxLatches] = process.argv;
const client = new MongoClient(uri);
const shop = service();
const resources = [Project, Job, Step].map((model) => shop.resource({ model } as { readonly model: typeof Project }));
const limits = { maxTimeMS: 5_000, maxLatches: Number(maxLatches) };
const api = shop.api({ db: client.db(database), prefix: '/api', resources, ...limits, onError: () => undefined });
const server = createServer(api.callback()).listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.once('disconnect', () => process.exit());
