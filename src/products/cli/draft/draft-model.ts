import { BSON, type Db } from 'mongodb';
import type { DraftOptions } from './choose-form.ts';
import { FieldDraft } from './draft-field.ts';
import { type KeyIndex, readIndexedKeys } from './indexed-keys.ts';
import { quote, schemaNameOf, singular } from './names.ts';
import { Shape } from './shape.ts';

/** What is drafted, and from how much. */
interface SampleOptions extends DraftOptions {
  readonly collection: string;
  /** The most records to read. */
  readonly sample: number;
}

/** The most bytes of records to read. */
const mostBytes = 64 * 2 ** 20;

/** How long the database may take, in milliseconds. */
const maxTimeMS = 60_000;

interface Sample {
  readonly shape: Shape;
  readonly records: number;
  readonly estimate: number;
  readonly unreadable: number;
}

/**
 * Drafts a model of a collection: the text of a module. The same sample has the same draft. A collection that is larger
 * than the sample is sampled at random. Undefined if there is no record.
 */
export async function draftModel(db: Db, options: SampleOptions): Promise<string | undefined> {
  const found = await readSample(db, options);
  if (found.records === 0) return undefined;
  return writeModule(found, options, await readIndexedKeys(db, options.collection, maxTimeMS));
}

async function readSample(db: Db, { collection, sample }: SampleOptions): Promise<Sample> {
  const records = db.collection(collection);
  const estimate = await records.estimatedDocumentCount({ maxTimeMS });
  const stage = estimate > sample ? { $sample: { size: sample } } : { $limit: sample };
  const shape = new Shape();
  let [count, bytes, unreadable] = [0, 0, 0];
  for await (const raw of records.aggregate([stage], { raw: true, maxTimeMS })) {
    count++;
    bytes += raw.length;
    try {
      shape.add(BSON.deserialize(raw as Uint8Array, { promoteValues: false, bsonRegExp: true }));
    } catch {
      unreadable++; // such as a text that is not UTF-8
    }
    if (bytes >= mostBytes) break;
  }
  return { shape, records: count, estimate: Math.max(estimate, count), unreadable };
}

function writeModule(
  { shape, records, estimate, unreadable }: Sample,
  { collection, showsValues }: SampleOptions,
  indexes: ReadonlyMap<string, KeyIndex>,
): string {
  const [last = collection] = collection.split('.').slice(-1);
  const name = schemaNameOf(singular(last));
  const draft = new FieldDraft(name, { showsValues }, indexes);
  const fields = draft.record(shape, name);
  const read = records === estimate ? `all ${records} records` : `${records} of about ${estimate} records`;
  const builders = fields.some((line) => /^\s*(?!\/\/)[^/]*\bt\./.test(line)) ? 'defineModel, t' : 'defineModel';
  return `// A draft of ${read}. Decide what each comment asks, and delete the comment.
${draft.secrets > 0 ? `// Private fields, because their names mean secrets: ${draft.secrets}.\n` : ''}${unreadable > 0 ? `// Records that could not be decoded: ${unreadable}.\n` : ''}import { ${builders} } from 'koa-mongo-resource';

export const ${name} = defineModel('${name}', {
  collection: ${quote(collection)},
  fields: {
${fields.map((line) => `    ${line}\n`).join('')}  },
});
`;
}
