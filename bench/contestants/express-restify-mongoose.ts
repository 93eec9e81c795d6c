import express from 'express';
import restify from 'express-restify-mongoose';
import mongoose from 'mongoose';
import { authenticate } from './by-hand.ts';
import type { Contestant } from './contestant.ts';

const Address = new mongoose.Schema(
  {
    street: { type: String, required: true },
    city: { type: String, required: true },
    zip: { type: String, required: true },
    country: { type: String, required: true, minlength: 2, maxlength: 2 },
  },
  { _id: false },
);
const Line = new mongoose.Schema(
  {
    sku: { type: String, required: true },
    name: { type: String, required: true },
    quantity: { type: Number, required: true, min: 1 },
    price: { type: mongoose.Schema.Types.Decimal128, required: true },
  },
  { _id: false },
);
const OrderSchema = new mongoose.Schema(
  {
    number: { type: String, required: true, maxlength: 40 },
    customerId: { type: mongoose.Schema.Types.ObjectId, required: true },
    status: { type: String, enum: ['open', 'paid', 'sent'], required: true },
    total: { type: mongoose.Schema.Types.Decimal128, required: true },
    paid: { type: Boolean, required: true },
    note: String,
    shipTo: { type: Address, required: true },
    lines: [Line],
    tags: [String],
    owner: String,
  },
  { versionKey: 'revision', timestamps: true, collection: 'orders' },
);

/**
 * express-restify-mongoose, with the owner in every query. It updates by reading, changing and saving, so that Mongoose
 * validates.
 */
export const expressRestifyMongoose: Contestant = {
  title: 'express-restify-mongoose',
  answersAlike: false,
  query: 'query={"status":"open","createdAt":{"$lt":"BEFORE"}}&sort=-createdAt&limit=LIMIT',
  async create(db) {
    const connection = await mongoose
      .createConnection((db.client as unknown as { s: { url: string } }).s.url, { dbName: db.databaseName })
      .asPromise();
    const app = express();
    app.use(express.json());
    app.use((req, _res, next) => {
      req.headers['x-owner'] = authenticate(req.headers.authorization);
      return next();
    });
    restify.serve(app, connection.model('orders', OrderSchema) as never, {
      prefix: '/api',
      version: '' as never, // none in the paths
      name: 'orders',
      private: ['owner'],
      totalCountHeader: false,
      preCreate: (req, _res, next) => {
        req.body.owner = req.headers['x-owner'];
        return next();
      },
      contextFilter: (model, req, done) => done(model.find({ owner: req.headers['x-owner'] }) as never),
    });
    return app;
  },
};
