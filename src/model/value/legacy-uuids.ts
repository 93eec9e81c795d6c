import { Binary, UUID } from 'mongodb';
import { Invalid } from '../../rules.ts';
import { bson, declined } from './bson-bytes.ts';
import { isBinary } from './bson-type.ts';
import type { Leaf } from './leaf.ts';
import { uuidLeaf } from './leaves.ts';
import { writeUntyped } from './untyped.ts';

/** The subtype of the UUIDs of drivers of old. */
const subtype = 3;
const size = 16;

/**
 * The orders in which such drivers store the bytes of a UUID: the first three groups backwards (.NET), each half
 * backwards (Java), or as they are. Each is its own reverse.
 */
const orders = {
  'legacy-csharp': [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15],
  'legacy-java': [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8],
  'legacy-python': [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
} as const;

/** The names of these orders. */
export const legacyUuids = Object.keys(orders) as readonly (keyof typeof orders)[];

const isLegacy = (value: Binary): boolean => value.sub_type === subtype && value.position === size;

/**
 * Makes the leaf of UUIDs whose bytes are stored in such an order. What is stored otherwise is shown as base64: it is
 * no text of a UUID, so that no client sends it back as one, which would change its subtype.
 */
function legacyUuid(storedAs: keyof typeof orders): Leaf {
  const order = orders[storedAs];
  const reorder = (bytes: Uint8Array, start = 0) => Buffer.from(order.map((at) => bytes[start + at] as number));
  const write = (value: UUID | Invalid) => (value instanceof Invalid ? value : new Binary(reorder(value.buffer), subtype));
  const read = (stored: Binary): UUID => new UUID(reorder(stored.buffer));
  return {
    ...(uuidLeaf as Leaf),
    base: uuidLeaf as Leaf,
    storedAs,
    accepted: [{ bsonTypes: ['binData'], isOf: isLegacy }],
    fromJson: (value) => write(uuidLeaf.fromJson(value) as UUID | Invalid),
    fromText: (text) => write(uuidLeaf.fromText(text) as UUID | Invalid),
    fromDocument: (value) => write(uuidLeaf.fromDocument(value) as UUID | Invalid),
    toDocument: (stored) => (isBinary(stored) ? (isLegacy(stored) ? read(stored) : new Binary(stored.value(), stored.sub_type)) : stored),
    toJson(stored) {
      if (!isBinary(stored)) return writeUntyped(stored);
      return JSON.stringify(isLegacy(stored) ? read(stored).toString() : stored.toString('base64'));
    },
    writeBson(source, type, start, end, out) {
      if (type !== bson.binary || source[start + 4] !== subtype || end - start !== 5 + size) throw declined;
      out.text(`"${new UUID(reorder(source, start + 5))}"`);
    },
  };
}

/**
 * The orders in which these bytes can be a UUID of a version (RFC 9562 §4): it has the version and the variant in
 * places of their own. Undefined for a value that is no UUID of a driver of old.
 */
export function ordersOf(value: Binary): readonly (keyof typeof orders)[] | undefined {
  if (!isLegacy(value)) return undefined;
  const at = (index: number) => value.buffer[index] as number;
  const hasVersion = (version: number, variant: number) => at(version) >> 4 >= 1 && at(version) >> 4 <= 8 && at(variant) >> 6 === 2;
  return legacyUuids.filter((name) => hasVersion(orders[name][6], orders[name][8]));
}

/** The leaves of UUIDs in these orders, by their names. */
export const legacyUuidLeaves: ReadonlyMap<string, Leaf> = new Map(legacyUuids.map((name) => [name, legacyUuid(name)]));
