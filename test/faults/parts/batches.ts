import { randomUUID } from 'node:crypto';
import type { Collection, Db, Document, MongoClientOptions } from 'mongodb';
import { defineModel, Problem, t } from '../../../src/index.ts';
import { compileModel } from '../../../src/model/compile/compile-model.ts';
import { type Commands, planCommands } from '../../../src/mongo/driver/commands.ts';
import { SharedInserts } from '../../../src/mongo/driver/shared-inserts.ts';
import { Work } from '../../../src/mongo/driver/work.ts';
import type { History, Sent, Told } from '../judge.ts';
import { type Deployment, untilGone } from './mongods.ts';
import { newToken, things } from './things.ts';
import { type Oplog, openOplog, watchSent } from './witness.ts';

const model = compileModel(defineModel('Thing', { collection: things, fields: { id: t.string(), token: t.string() } }));

/**
 * Creates that share a command, every time: one create is under way from the beginning to the end, and is never sent.
 */
export class Batches {
  readonly told: Told[] = [];
  readonly db: Db;
  readonly #deployment: Deployment;
  readonly #sent: readonly Sent[];
  readonly #oplog: Oplog | undefined;
  readonly #commands: Commands;
  readonly #inserts: SharedInserts;

  private constructor(deployment: Deployment, db: Db, oplog: Oplog | undefined) {
    this.db = db;
    this.#deployment = deployment;
    this.#oplog = oplog;
    this.#sent = watchSent(db.client);
    const real: Collection<Record<string, unknown>> = db.collection(things);
    this.#commands = planCommands(model, db, real, 10_000);
    let isFirst = true;
    const insertOne = (document: Document, options: object) => {
      if (!isFirst) return real.insertOne(document, options);
      isFirst = false;
      return new Promise(() => undefined);
    };
    this.#inserts = new SharedInserts(db, { collectionName: things, insertOne } as never, true);
    void this.#insert(newToken()).catch(() => undefined); // its time passes, or the servers go
  }

  static async open(deployment: Deployment, client: MongoClientOptions, uri?: string): Promise<Batches> {
    const { databaseName } = deployment.admin.db(`faults_${randomUUID().slice(0, 8)}`);
    await deployment.admin.db(databaseName).createCollection(things);
    const oplog = deployment.hasOplog ? await openOplog(deployment.admin, databaseName) : undefined;
    return new Batches(deployment, (await deployment.connect(client, uri)).db(databaseName), oplog);
  }

  /** Creates so many records by one command. `meddle` gets the works of their requests when they wait for it. */
  async create(count: number, meddle: (works: readonly Work[]) => void = () => undefined): Promise<Told[]> {
    const works = Array.from({ length: count }, () => new Work());
    const all = works.map((work) => this.#tell(newToken(), work));
    meddle(works);
    return Promise.all(all);
  }

  async #tell(token: string, work: Work): Promise<Told> {
    const answer = await this.#insert(token, work).then(
      () => ({ status: 201 }),
      (error) => (error instanceof Problem ? { status: error.status, code: error.code } : { status: 500 }),
    );
    const one = { token, ...answer, at: performance.now() };
    this.told.push(one);
    return one;
  }

  #insert(token: string, work = new Work()): Promise<void> {
    return this.#commands.write(work, (command) => this.#inserts.insert({ _id: token, token }, command));
  }

  /** Tells the whole history: call it when the faults are over. */
  async end(): Promise<History> {
    await this.db.client.close();
    await untilGone(this.#deployment);
    const records = this.#deployment.admin.db(this.db.databaseName).collection<{ token: string }>(things);
    const applied = this.#oplog ? await this.#oplog.applied() : (await records.find().toArray()).map(({ token }) => token);
    return { told: this.told, sent: this.#sent, applied };
  }
}
