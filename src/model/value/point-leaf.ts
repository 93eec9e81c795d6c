import { Double } from 'mongodb';
import { Invalid } from '../../rules.ts';
import type { Leaf } from './leaf.ts';
import { anyLeaf } from './leaves.ts';
import { floatLeaf } from './number-leaves.ts';
import { isObject } from './plain-object.ts';
import { isStoredObject } from './stored-shape.ts';
import { writeUntyped } from './untyped.ts';

/** A GeoJSON point (RFC 7946 §3.1.2): longitude and latitude, in degrees. */
export interface Point {
  readonly type: 'Point';
  readonly coordinates: readonly [longitude: number, latitude: number];
}

interface StoredPoint {
  readonly type: 'Point';
  readonly coordinates: readonly [Double, Double];
}

/** The coordinates of a point in their order, each with its greatest value. */
const coordinates = [
  { name: 'longitude', most: 180 },
  { name: 'latitude', most: 90 },
] as const;

const notPoint = new Invalid('type', 'must be a GeoJSON point, such as {"type":"Point","coordinates":[8.54,47.37]}', { type: 'point' });
const otherType = new Invalid('const', 'must be "Point"', { value: 'Point' }, 'type');
const notPair = new Invalid('type', 'must be an array of two numbers: longitude, then latitude', { type: 'array' }, 'coordinates');
const notComparable = new Invalid('not_comparable', 'cannot be compared with text');
const members: ReadonlySet<string> = new Set(['type', 'coordinates']);

function readPoint(value: unknown, readNumber: (value: unknown) => Double | Invalid): StoredPoint | Invalid {
  if (!isObject(value)) return notPoint;
  const strange = Object.keys(value).find((key) => !members.has(key));
  if (strange !== undefined) return new Invalid('unknown_field', 'is not a member of a point: it has type and coordinates', {}, strange);
  if (value.type !== 'Point') return otherType;
  if (!Array.isArray(value.coordinates) || value.coordinates.length !== 2) return notPair;
  const [longitude, latitude] = coordinates.map((_, at) => readCoordinate((value.coordinates as readonly unknown[])[at], at, readNumber));
  if (longitude instanceof Invalid) return longitude;
  if (latitude instanceof Invalid) return latitude;
  return { type: 'Point', coordinates: [longitude as Double, latitude as Double] };
}

function readCoordinate(value: unknown, at: number, readNumber: (value: unknown) => Double | Invalid): Double | Invalid {
  const number = readNumber(value);
  const wrong = number instanceof Invalid ? number : checkCoordinate(number.value, at);
  if (wrong) return new Invalid(wrong.rule, wrong.message, wrong.params, `coordinates.${at}`);
  return new Double((number as Double).value + 0); // -0 is 0
}

/** What is wrong with the coordinate in this place of a position, if anything. */
export function checkCoordinate(value: number, at: number, verb: 'be' | 'have' = 'be'): Invalid | undefined {
  const { name, most } = coordinates[at] as (typeof coordinates)[number];
  const message = `must ${verb} a ${name} from ${-most} to ${most}`;
  if (value < -most) return new Invalid('minimum', message, { limit: -most });
  return value > most ? new Invalid('maximum', message, { limit: most }) : undefined;
}

/** The JSON Schemas of the coordinates of a point, in their order. */
export const coordinateSchemas = coordinates.map(({ most }) => ({ type: 'number', minimum: -most, maximum: most }));

const readSchema = {
  type: 'object',
  description: 'A GeoJSON point (RFC 7946): longitude, then latitude, in degrees.',
  properties: {
    type: { type: 'string', enum: ['Point'] },
    coordinates: {
      type: 'array',
      prefixItems: coordinateSchemas,
      items: { type: 'number' },
      minItems: coordinates.length,
      maxItems: coordinates.length,
    },
  },
  required: ['type', 'coordinates'],
  examples: [{ type: 'Point', coordinates: [8.54, 47.37] }],
};

/** A point on Earth, stored as GeoJSON. Coordinates are stored as doubles. It has neither a text form nor an order. */
export const pointLeaf: Leaf<StoredPoint> = {
  name: 'point',
  readSchema,
  writeSchema: { ...readSchema, additionalProperties: false },
  bsonTypes: ['object'],
  fromJson: (value) => readPoint(value, floatLeaf.fromJson),
  fromText: () => notComparable,
  fromDocument: (value) => readPoint(value, floatLeaf.fromDocument),
  toDocument: (stored) =>
    isStoredObject(stored) && Array.isArray(stored.coordinates)
      ? { ...stored, coordinates: stored.coordinates.map(floatLeaf.toDocument) }
      : stored,
  toJson: writeUntyped,
};

/** Whether the values of a type can be compared with each other: there are equal ones, and greater and lesser ones. */
export function isComparable(leaf: Leaf): boolean {
  return leaf !== anyLeaf && leaf !== (pointLeaf as Leaf);
}
