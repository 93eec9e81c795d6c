import { feathers as createApp } from '@feathersjs/feathers';
import { bodyParser, errorHandler, koa as koaTransport, rest } from '@feathersjs/koa';
import { MongoDBService } from '@feathersjs/mongodb';
import { Ajv } from 'ajv';
import { Decimal128, ObjectId } from 'mongodb';
import { authenticate, createSchema, patchSchema } from './by-hand.ts';
import type { Contestant } from './contestant.ts';

/**
 * Feathers over Koa, with its adapter for MongoDB and hooks that validate, bound to the owner and make dates, revisions
 * and texts.
 */
export const feathers: Contestant = {
  title: 'Feathers (koa, mongodb)',
  answersAlike: false,
  query: 'status=open&createdAt[$lt]=BEFORE&$sort[createdAt]=-1&$limit=LIMIT',
  async create(db) {
    const ajv = new Ajv({ allErrors: true });
    const validators = { create: ajv.compile(createSchema), patch: ajv.compile(patchSchema) };
    const app = koaTransport(createApp());
    app.use(errorHandler());
    app.use(bodyParser());
    app.configure(rest());
    app.use(
      'api/orders',
      new MongoDBService({ Model: db.collection('orders') as never, paginate: { default: 20, max: 100 }, multi: false }),
    );
    app.service('api/orders').hooks({
      before: {
        all: [
          async (context) => {
            const owner = authenticate((context.params.headers as Record<string, string> | undefined)?.authorization);
            context.params.query = { ...context.params.query, owner };
            if (context.method === 'create') context.data = { ...context.data, owner };
          },
        ],
        find: [
          async (context) => {
            const before = context.params.query?.createdAt?.$lt;
            if (before !== undefined) context.params.query = { ...context.params.query, createdAt: { $lt: new Date(before) } };
          },
        ],
        create: [
          async (context) => {
            const { owner, ...body } = context.data as Members;
            if (!validators.create(body)) throw new Error('invalid');
            const now = new Date();
            context.data = { ...toStored(body), owner, revision: 0, createdAt: now, updatedAt: now };
          },
        ],
        patch: [
          async (context) => {
            if (!validators.patch(context.data)) throw new Error('invalid');
            context.data = { $set: { ...toStored(context.data as Members), updatedAt: new Date() }, $inc: { revision: 1 } };
          },
        ],
      },
      after: {
        all: [
          async (context) => {
            const { result } = context as unknown as { result: Members & { data?: Members[] } };
            context.result = Array.isArray(result.data) ? { ...result, data: result.data.map(toJson) } : toJson(result);
          },
        ],
      },
    });
    await app.setup();
    return app.callback() as never;
  },
};

type Members = Record<string, unknown>;

function toJson({ _id, owner: _, total, lines, ...rest }: Members): Members {
  return { id: _id, ...rest, total: String(total), lines: (lines as Members[]).map((line) => ({ ...line, price: String(line.price) })) };
}

function toStored({ customerId, total, lines, ...rest }: Members): Members {
  return {
    ...rest,
    ...(customerId === undefined ? {} : { customerId: new ObjectId(customerId as string) }),
    ...(total === undefined ? {} : { total: Decimal128.fromString(total as string) }),
    ...(lines === undefined
      ? {}
      : { lines: (lines as Members[]).map((line) => ({ ...line, price: Decimal128.fromString(line.price as string) })) }),
  };
}
