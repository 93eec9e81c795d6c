import { type Document as BsonDocument, Double } from 'mongodb';
import { bringing, type Predicate } from '../../mongo/predicate/predicate.ts';

/** A circle on Earth. */
export interface Circle {
  /** The stored path of the point that lies in it. */
  readonly path: string;
  readonly centre: readonly [longitude: number, latitude: number];
  readonly metres: number;
}

/** The stored key of the distance, which no field can have. It is only in what `$geoNear` returns. */
export const distanceKey = '[distance]';

/** The radius with which `$geoNear` turns angles into metres. */
const radiusOfEarth = 6_378_100;

/**
 * What a record fulfils whose point lies in a circle. It alone decides: for a page, its total and an aggregate, so that
 * a record on the edge is in all of them or in none.
 */
export function withinCircle({ path, centre, metres }: Circle): Predicate {
  const filter = { [path]: { $geoWithin: { $centerSphere: [position(centre), metres / radiusOfEarth] } } };
  return bringing({ filter, comparisons: [], paths: [path] });
}

/**
 * More than the rounding of `$geoWithin` and `$geoNear`, in metres, so that the latter finds all that lies in the
 * circle. Both compare chords: on the other side of the Earth, the last digit of a chord is about a decimetre.
 */
const slack = 10;

/**
 * The options of `$geoNear` for the records in a circle. The `key` is named, because a collection may have indexes of
 * several points.
 */
export function nearestTo({ path, centre, metres }: Circle): BsonDocument {
  return {
    near: { type: 'Point', coordinates: position(centre) },
    key: path,
    distanceField: distanceKey,
    maxDistance: new Double(metres + slack),
    spherical: true,
  };
}

function position(centre: Circle['centre']): Double[] {
  return centre.map((degrees) => new Double(degrees));
}
