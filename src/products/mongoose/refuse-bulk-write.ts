import { coveredKeys, coveredMark, type Method, type MongooseCollection, type MongooseConnection, type Table } from './collection.ts';

interface Sending {
  bulkWrite?: Method & { readonly [coveredMark]?: true };
  model(name: string): { readonly collection: MongooseCollection };
}

const changing: readonly unknown[] = ['updateOne', 'updateMany', 'replaceOne'];

/** Has `bulkWrite` of a connection, which mongoose sends past its collections, refuse to change what is covered. */
export function refuseBulkWrite(given: MongooseConnection): void {
  const connection = given as MongooseConnection & Sending;
  const { bulkWrite } = connection;
  if (!bulkWrite || bulkWrite[coveredMark]) return;
  async function refusing(...args: readonly unknown[]): Promise<unknown> {
    const [members] = args;
    for (const { name, model } of members as readonly Table[]) {
      const { collection } = typeof model === 'string' ? connection.model(model) : (model as { readonly collection: MongooseCollection });
      if (changing.includes(name) && coveredKeys(collection))
        throw new Error(
          `\`bulkWrite\` of a connection cannot step the revisions of what it changes in \`${collection.name}\`: use that of the model.`,
        );
    }
    return bulkWrite?.apply(connection, args as unknown[]);
  }
  connection.bulkWrite = Object.assign(refusing, { [coveredMark]: true as const });
}
