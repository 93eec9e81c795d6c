import { didYouMean } from '../../../hints.ts';
import { defineCommand, status } from '../command.ts';
import { readCount } from '../read-count.ts';
import { UsageError } from '../usage-error.ts';
import { outOption, writeOut } from '../write-out.ts';

export const draft = defineCommand({
  summary: 'Draft a model from the records of a collection',
  details: `Writes TypeScript to standard output, or to a file. Every record that was read fits the model; what is doubtful is a comment.
A collection that has more records than the sample is sampled at random.`,
  argument: 'collection',
  options: {
    sample: { type: 'string', value: 'n', text: 'read at most n records (default 1000), and at most 64 MiB' },
    'no-values': { type: 'boolean', text: 'leave out the members of possible enums: nothing that records hold but their keys' },
    ...outOption,
  },
  needsDatabase: true,
  async run({ argument: collection, openDatabase, values, writeExactly }) {
    const sample = readCount('sample', values.sample, 1) ?? 1_000;
    const db = await openDatabase();
    try {
      const { draftModel } = await import('../draft/draft-model.ts');
      const text = await draftModel(db, { collection, sample, showsValues: !values['no-values'] });
      if (text === undefined) {
        const names = (await db.listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name);
        throw new UsageError(
          `The collection \`${collection}\` of the database \`${db.databaseName}\` has no records${didYouMean(collection, names, '.')}`,
        );
      }
      await writeOut(text, 'The draft', { out: values.out, write: writeExactly });
      return status.good;
    } finally {
      await db.client.close();
    }
  },
});
