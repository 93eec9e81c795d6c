import { randomBytes } from 'node:crypto';
import { defineModel, t } from '../../../src/index.ts';
import { stepRevision } from '../../../src/products/mongoose/step-revision.ts';
import type { Any } from '../../support/any.ts';
import type { TestDatabase } from '../../support/database/database.ts';
import { useApi } from '../../support/http/api.ts';

/** The versions of mongoose that the plugin is for. The types of both describe one module, so neither has any here. */
export const versions = ['mongoose-8', 'mongoose-9'] as const;

export type Version = (typeof versions)[number];

export async function loadMongoose(version: Version): Promise<Any> {
  const loaded: { readonly default: Any } = await import(version);
  return loaded.default;
}

/** The records as the library describes them. */
export const Task = defineModel('Task', {
  collection: 'tasks',
  fields: {
    title: t.string({ policy: { filter: ['eq'] } }),
    done: t.boolean({ default: false }),
    count: t.int({ default: 0 }),
    note: t.nullable(t.string()),
    tags: t.array(t.string(), { default: [] }),
    place: t.nullable(t.object('Place', { city: t.nullable(t.string()) })),
    revision: t.revision(),
    createdAt: t.createdAt(),
    updatedAt: t.updatedAt(),
  },
});

/** The same records as mongoose describes them. */
export const definition = {
  title: { type: String, required: true },
  done: { type: Boolean, default: false },
  count: { type: Number, default: 0 },
  note: String,
  tags: [String],
  place: { city: String },
};

export interface Tasks {
  readonly mongoose: Any;
  /** The model of mongoose. */
  readonly Task: Any;
  readonly port: number;
  /** A record that mongoose has not made, at revision 3. */
  insert(record?: object): Promise<Any>;
  read(filter: object): Promise<Any>;
  /** Patches by the library with `If-Match`; the status. */
  patch(id: unknown, revision: number): Promise<number>;
  get(id: unknown): Promise<Any>;
}

/** Serves the records by the library, and connects mongoose to the same database. */
export function useMongoose(database: TestDatabase, version: Version, options: object = {}): Tasks {
  const server = useApi(database, (shop) => [shop.resource({ model: Task })]);
  let mongoose: Any;
  let Model: Any;
  beforeAll(async () => {
    const { Mongoose } = await loadMongoose(version);
    mongoose = new Mongoose();
    const schema = new mongoose.Schema(definition, options);
    schema.plugin(stepRevision, { model: Task });
    Model = mongoose.model('Task', schema, 'tasks');
    await mongoose.connect(process.env.MONGODB_URI, { dbName: database.db.databaseName });
    await Model.init();
  });
  afterAll(() => mongoose?.disconnect());
  const records = () => database.db.collection('tasks');
  return {
    get mongoose() {
      return mongoose;
    },
    get Task() {
      return Model;
    },
    get port() {
      return server.port;
    },
    async insert(record = {}) {
      const whole = { ...begun(), ...record };
      const { insertedId } = await records().insertOne(whole);
      return { ...whole, _id: insertedId };
    },
    read: (filter) => records().findOne(filter),
    async patch(id, revision) {
      const headers = { 'if-match': `"${revision}"` };
      return (await server.request('PATCH', `/api/tasks/${id}`, { headers, body: { note: unique() } })).status;
    },
    async get(id) {
      const { status, body } = await server.request('GET', `/api/tasks/${id}`);
      expect([status, body]).toEqual([200, expect.anything()]);
      return body;
    },
  };
}

export const unique = () => randomBytes(6).toString('hex');

const past = new Date('2020-01-01T00:00:00Z');

function begun(): Any {
  const values = { title: unique(), done: false, count: 1, note: 'n', tags: ['a'], place: { city: 'Oslo' } };
  return { ...values, revision: 3, createdAt: past, updatedAt: past };
}
