import { isServerError, serverCodes } from '../../mongo/driver/server-error.ts';
import type { OwnOrder } from '../../mongo/list/asked.ts';
import type { StoredRecord } from '../../mongo/stored-record.ts';
import { type Circle, distanceKey, nearestTo } from './list-circle.ts';

/** The order of the records in a circle, which tells their distances if these were asked for. */
export function byDistance(circle: Circle, showsDistances: boolean): OwnOrder {
  return {
    find: (query) => [{ $geoNear: { ...nearestTo(circle), query } }],
    by: [
      [distanceKey, 1],
      ['_id', 1],
    ],
    keys: [distanceKey],
    recover(error, { collection }) {
      if (isServerError(error, serverCodes.namespaceNotFound)) return []; // a collection that does not exist
      if (!isServerError(error, serverCodes.noQueryExecutionPlans) && !isServerError(error, serverCodes.indexNotFound)) throw error;
      throw new Error(
        `A list of \`${collection}\` with \`near\` needs an index: await applyIndexes(api), or db.collection(${JSON.stringify(collection)}).createIndex({ ${JSON.stringify(circle.path)}: '2dsphere' }).`,
        { cause: error },
      );
    },
    ...(showsDistances && { describe: (records) => ({ distances: records.map(distanceOf) }) }),
  };
}

/** To a tenth of a metre: six decimals of a degree say no more. */
function distanceOf(record: StoredRecord): number {
  return Math.round(Number(record.pick([distanceKey])[distanceKey]) * 10) / 10;
}
