import { ConfigurationError } from '../../errors.ts';
import { refuse } from '../../mistakes.ts';
import { asCompiled, type CompiledModel, type ModelInput } from '../../model/compile/compile-model.ts';
import { checkedLater, checkOptions, type LegalOptions, required } from '../../options.ts';
import type { MongooseCollection } from './collection.ts';
import { coverCollection } from './cover-collection.ts';
import { refuseBulkWrite } from './refuse-bulk-write.ts';
import type { MaintainedKeys } from './steps.ts';

/** Options of {@link stepRevision}. */
export interface StepRevisionOptions {
  /** The model of this library that describes the same records. It has `t.revision()`. */
  readonly model: ModelInput;
}

/** A schema of mongoose 8 or 9. */
export interface MongooseSchema {
  get(option: 'versionKey' | 'optimisticConcurrency' | 'timestamps'): unknown;
  path(path: string): unknown;
}

/** What the plugin calls of a schema. The types of mongoose have an overload for each kind of hook. */
interface Hooked extends MongooseSchema {
  set(option: string, value: unknown): unknown;
  on(event: 'init', listener: (model: MongooseModel) => void): unknown;
  pre(method: string | readonly string[], hook: (this: never) => void): unknown;
}

interface MongooseModel {
  readonly collection: MongooseCollection;
}

interface MongooseDocument {
  readonly constructor: MongooseModel & { readonly modelName: string };
  readonly $isSubdocument?: boolean;
  readonly isNew: boolean;
  $where?: object | undefined;
  isSelected(path: string): boolean;
  get(path: string): unknown;
}

const legal: LegalOptions<StepRevisionOptions> = { model: required(checkedLater) };

/** Mongoose 9 skips the hooks of applications where a call has `middleware: false`, but none with this mark. */
const builtIn = Symbol.for('mongoose:built-in-middleware');

/**
 * A plugin for a schema of mongoose, whose records a resource serves as well: each write of mongoose makes one step of
 * the revision, as those of the library do, so that neither overwrites what the other has written.
 *
 * It makes the revision of the model the `versionKey` of the schema, with `optimisticConcurrency`, and the timestamps
 * of the model its `timestamps`. What mongoose sends is changed as little as possible: `$inc` beside other operators, a
 * stage behind those of a pipeline, and a replacement becomes an update that keeps `createdAt`. An upsert is two
 * commands if it makes a record. What cannot step a revision throws: `$out` and `$merge` of an aggregate into the
 * collection, `bulkWrite` of a connection, the driver's `initializeOrderedBulkOp`, and `save()` of a document that was
 * read without its revision.
 *
 * It does not see what passes by the collection of mongoose: `connection.db.collection(…)`, and writes of models
 * without it in other connections or other processes. Nor does mongoose write what the library keeps beside a record:
 * its history, the events of its outbox, and folded texts.
 *
 * @example
 * schema.plugin(stepRevision, { model: Order });
 */
export function stepRevision(schema: MongooseSchema, options: StepRevisionOptions): void {
  checkOptions(options, legal, '`stepRevision`');
  const model = asCompiled(options.model);
  const keys = keysOf(model);
  setOptions(schema as Hooked, model, keys);
  const cover = ({ collection }: MongooseModel) => {
    coverCollection(collection, keys);
    refuseBulkWrite(collection.conn);
  };
  (schema as Hooked).on('init', cover);
  // A schema of another instance of mongoose is copied without its listeners, and with its hooks.
  hook(
    schema as Hooked,
    ['updateOne', 'updateMany', 'findOneAndUpdate', 'replaceOne', 'findOneAndReplace'],
    (query: { model: MongooseModel }) => cover(query.model),
  );
  hook(schema as Hooked, ['insertMany', 'bulkWrite'], cover);
  hook(schema as Hooked, ['aggregate'], (aggregate: { model(): MongooseModel }) => cover(aggregate.model()));
  hook(schema as Hooked, ['save'], (document: MongooseDocument) => {
    if (document.$isSubdocument) return;
    cover(document.constructor);
    if (!document.isNew) compareRevision(document, keys.revision);
  });
}

function hook<This>(schema: Hooked, methods: readonly string[], run: (value: This) => void): void {
  function stepRevisionHook(this: This): void {
    run(this);
  }
  stepRevisionHook[builtIn] = true;
  for (const method of methods) schema.pre(method, stepRevisionHook);
}

function keysOf({ name, revision, createdAt }: CompiledModel): MaintainedKeys {
  if (!revision) throw new ConfigurationError(`\`stepRevision\` has nothing to step: model \`${name}\` has no \`t.revision()\`.`);
  return { revision: revision.key, createdAt: createdAt?.key };
}

/** Mongoose compares no revision that is missing: then another write must not have made one. */
function compareRevision(document: MongooseDocument, revision: string): void {
  if (!document.isSelected(revision))
    throw new Error(
      `A document of \`${document.constructor.modelName}\` that was read without \`${revision}\` cannot be saved: select it too, or write by \`updateOne\`.`,
    );
  const value = document.get(revision);
  if (value === undefined || value === null) document.$where = { ...document.$where, [revision]: null };
}

function setOptions(schema: Hooked, { name, createdAt, updatedAt }: CompiledModel, { revision }: MaintainedKeys): void {
  const versionKey = schema.get('versionKey');
  const concurrency = schema.get('optimisticConcurrency');
  const timestamps = schema.get('timestamps');
  const kept: Readonly<Record<string, string | false>> = { createdAt: createdAt?.key ?? false, updatedAt: updatedAt?.key ?? false };
  refuse([
    ...(versionKey === '__v' || versionKey === revision
      ? []
      : [
          `\`versionKey\` of the schema is ${show(versionKey)}, and the revision of model \`${name}\` is stored as \`${revision}\`: leave \`versionKey\` out, or give \`t.revision()\` its key as \`stored\`.`,
        ]),
    ...(typeof concurrency === 'object' && concurrency !== null
      ? ['`optimisticConcurrency` of the schema must be true, or be left out: every write steps the revision, whatever it changes.']
      : []),
    ...Object.entries(kept).flatMap(([which, key]) => findOtherName(which, key, timestamps, name)),
    ...findOtherType(schema, revision, ['Number', 'Int32']),
    ...Object.values(kept).flatMap((key) => (key ? findOtherType(schema, key, ['Date']) : [])),
  ]);
  schema.set('versionKey', revision);
  schema.set('optimisticConcurrency', true);
  if (!timestamps && (createdAt || updatedAt)) schema.set('timestamps', kept);
}

/** The name of a timestamp that mongoose sets, if the model has another one. */
function findOtherName(which: string, key: string | false, timestamps: unknown, model: string): string[] {
  if (!timestamps || !key) return [];
  const given = timestamps === true ? true : ((timestamps as Readonly<Record<string, unknown>>)[which] ?? true);
  const named = given === true ? which : given;
  if (named === key) return [];
  return [
    `\`timestamps.${which}\` of the schema is ${show(named)}, and model \`${model}\` has it as \`${key}\`: give both the same key, or leave \`timestamps\` out.`,
  ];
}

function findOtherType(schema: Hooked, path: string, legal: readonly string[]): string[] {
  const type = (schema.path(path) as { readonly instance: string } | undefined)?.instance;
  return type === undefined || legal.includes(type)
    ? []
    : [`\`${path}\` of the schema must be a ${legal[0]}, as in the model, and is a ${type}.`];
}

function show(value: unknown): string {
  return typeof value === 'string' ? `\`${value}\`` : String(value);
}
