import { Binary, ObjectId, UUID } from 'mongodb';
import { binaryLeaf, binaryLeafOf } from '../../../src/model/value/binary-leaf.ts';
import type { Leaf } from '../../../src/model/value/leaf.ts';
import { anyLeaf, booleanLeaf, dateLeaf, enumLeaf, objectIdLeaf, stringLeaf, uuidLeaf } from '../../../src/model/value/leaves.ts';
import { Invalid } from '../../../src/rules.ts';
import { bsonTypeOf, readBack } from '../subject.ts';

const hex = '65f1a0b2c3d4e5f60718293a';
const uuid = '123e4567-e89b-42d3-a456-426614174000';
const [digest, vector] = [5, 9].map((subtype) => binaryLeafOf(subtype) as Leaf) as [Leaf, Leaf];
const colour = enumLeaf(['red', 'green', 'dark blue']);

const notString = 'must be a string';
const notDate = 'must be an RFC 3339 date-time, such as 2026-01-31T12:00:00Z';
const notObjectId = 'must be an ObjectId of 24 hexadecimal digits';
const notUuid = 'must be a UUID, such as 123e4567-e89b-42d3-a456-426614174000';
const notBinary = 'must be base64 (RFC 4648 §4) with padding';
const loneSurrogate = 'must be well-formed Unicode: it holds a lone surrogate';

describe('a leaf reads JSON, stores one BSON type and writes the same JSON', () => {
  it.each<[Leaf, unknown, string, unknown]>([
    [stringLeaf, 'naïve 🙂', 'string', 'naïve 🙂'],
    [stringLeaf, '', 'string', ''],
    [stringLeaf, '$where', 'string', '$where'],
    [stringLeaf, 'with \0 NUL', 'string', 'with \0 NUL'],
    [booleanLeaf, true, 'bool', true],
    [booleanLeaf, false, 'bool', false],
    [dateLeaf, '2026-01-31T12:00:00+01:00', 'date', '2026-01-31T11:00:00.000Z'],
    [objectIdLeaf, hex.toUpperCase(), 'objectId', hex],
    [uuidLeaf, uuid.toUpperCase(), 'binData', uuid],
    [uuidLeaf, '00000000-0000-0000-0000-000000000000', 'binData', '00000000-0000-0000-0000-000000000000'],
    [binaryLeaf, 'AP8+Pw==', 'binData', 'AP8+Pw=='],
    [binaryLeaf, '', 'binData', ''],
    [digest, 'AP8+Pw==', 'binData', 'AP8+Pw=='],
    [colour, 'dark blue', 'string', 'dark blue'],
    [anyLeaf, 'text', 'string', 'text'],
  ])('%#: %o', (leaf, json, bsonType, shown) => {
    const stored = leaf.fromJson(json);
    expect(stored).not.toBeInstanceOf(Invalid);
    expect(bsonTypeOf(stored)).toBe(bsonType);
    expect(JSON.parse(leaf.toJson(stored))).toEqual(shown);
    expect(JSON.parse(leaf.toJson(readBack({ stored }).stored))).toEqual(shown);
  });
});

describe('a leaf does not coerce JSON', () => {
  it.each<[Leaf, unknown, string]>([
    [stringLeaf, 5, notString],
    [stringLeaf, { $gt: '' }, notString],
    [stringLeaf, ['a'], notString],
    [stringLeaf, 'a\ud800', loneSurrogate],
    [booleanLeaf, 1, 'must be true or false'],
    [booleanLeaf, 'true', 'must be true or false'],
    [dateLeaf, 1_700_000_000, notDate],
    [dateLeaf, '2026-01-31', notDate],
    [dateLeaf, { $date: '2026-01-31T12:00:00Z' }, notDate],
    [objectIdLeaf, 'twelve bytes', notObjectId],
    [objectIdLeaf, `${hex}0`, notObjectId],
    [objectIdLeaf, 42, notObjectId],
    [objectIdLeaf, { $oid: hex }, notObjectId],
    [uuidLeaf, uuid.replaceAll('-', ''), notUuid],
    [uuidLeaf, `{${uuid}}`, notUuid],
    [binaryLeaf, 'AP8', notBinary],
    [binaryLeaf, 'AP8_Pw==', notBinary],
    [binaryLeaf, 'A===', notBinary],
    [binaryLeaf, 'AA=A', notBinary],
    [binaryLeaf, '====', notBinary],
    [binaryLeaf, [1, 2], notBinary],
    [binaryLeaf, { $binary: { base64: 'AP8+Pw==', subType: '05' } }, notBinary],
    [vector, 'AwE=', 'must be the bytes of a vector, as BSON stores them'],
    [colour, 'Red', 'must be one of red, green, dark blue; did you mean `red`?'],
    [colour, 'gren', 'must be one of red, green, dark blue; did you mean `green`?'],
    [colour, 'constructor', 'must be one of red, green, dark blue'],
    [colour, 3, 'must be one of red, green, dark blue'],
  ])('%#: %o', (leaf, json, message) => {
    expect(leaf.fromJson(json)).toMatchObject({ message, rule: expect.not.stringMatching('out_of_range') });
  });
});

describe('a leaf reads values of handlers by their own types', () => {
  const date = new Date(0);
  it.each<[Leaf, unknown, unknown]>([
    [stringLeaf, 'a', 'a'],
    [booleanLeaf, true, true],
    [dateLeaf, date, date],
    [objectIdLeaf, new ObjectId(hex), new ObjectId(hex)],
    [uuidLeaf, new UUID(uuid), new UUID(uuid)],
    [uuidLeaf, new Binary(new UUID(uuid).buffer, 4), new UUID(uuid)],
    [binaryLeaf, Buffer.from('ab'), new Binary(Uint8Array.from([97, 98]))],
    [digest, Buffer.from('ab'), new Binary(Uint8Array.from([97, 98]), 5)],
    [digest, new Binary(Buffer.from('ab'), 5), new Binary(Uint8Array.from([97, 98]), 5)],
    [vector, Uint8Array.from([3, 0, 1]), new Binary(Uint8Array.from([3, 0, 1]), 9)],
    [colour, 'red', 'red'],
  ])('%#: accepts %o', (leaf, given, stored) => {
    expect(leaf.fromDocument(given)).toEqual(stored);
  });

  it.each<[Leaf, unknown]>([
    [stringLeaf, 5],
    [stringLeaf, '\udc00'],
    [booleanLeaf, 'true'],
    [dateLeaf, new Date('x')],
    [dateLeaf, '2026-01-31T12:00:00Z'],
    [objectIdLeaf, hex],
    [uuidLeaf, uuid],
    [uuidLeaf, new Binary(Buffer.from('short'), 4)],
    [binaryLeaf, 'AP8='],
    [binaryLeaf, new Binary(Buffer.from('ab'), 5)],
    [digest, new Binary(Buffer.from('ab'))],
    [vector, Uint8Array.from([3, 1, 1])],
    [colour, 'blue'],
    [anyLeaf, undefined],
    [anyLeaf, () => 1],
    [anyLeaf, [Symbol('a')]],
    [anyLeaf, { a: [2n ** 63n] }],
  ])('%#: refuses %o', (leaf, given) => {
    expect(leaf.fromDocument(given)).toBeInstanceOf(Invalid);
  });

  it('copies what could be changed afterwards', () => {
    const bytes = new Binary(Uint8Array.from([1]));
    const storedDate = dateLeaf.fromDocument(date) as Date;
    const storedBytes = binaryLeaf.fromDocument(bytes) as Binary;
    expect(storedDate).not.toBe(date);
    expect(storedBytes).not.toBe(bytes);
    expect(storedBytes.buffer).not.toBe(bytes.buffer);
  });
});

describe('a leaf reads the text of a query string', () => {
  it.each<[Leaf, string, unknown]>([
    [stringLeaf, 'null', 'null'],
    [booleanLeaf, 'TRUE', true],
    [booleanLeaf, '0', false],
    [dateLeaf, '2026-01-31T12:00:00', new Date('2026-01-31T12:00:00Z')],
    [objectIdLeaf, hex, new ObjectId(hex)],
    [uuidLeaf, uuid, new UUID(uuid)],
    [colour, 'green', 'green'],
  ])('%#: %s', (leaf, text, stored) => {
    expect(leaf.fromText(text)).toEqual(stored);
  });

  it.each<[Leaf, string]>([
    [booleanLeaf, 'yes'],
    [dateLeaf, 'yesterday'],
    [objectIdLeaf, 'x'],
    [uuidLeaf, 'x'],
    [binaryLeaf, 'x'],
    [colour, 'blue'],
    [anyLeaf, 'x'],
  ])('%#: refuses %s', (leaf, text) => {
    expect(leaf.fromText(text)).toMatchObject({ rule: expect.not.stringMatching('out_of_range') });
  });
});

describe('values of old documents', () => {
  it('are handed to handlers as they are where they are not of the type', () => {
    const odd = new Binary(Buffer.from('short'), 4);
    expect(uuidLeaf.toDocument(odd)).toBe(odd);
    expect(uuidLeaf.toDocument('text')).toBe('text');
    expect(dateLeaf.toDocument('text')).toBe('text');
  });

  it('a UUID of subtype 4 is one, whatever class holds it', () => {
    expect(uuidLeaf.toDocument(new Binary(new UUID(uuid).buffer, 4))).toEqual(new UUID(uuid));
  });
});

describe('long texts', () => {
  it('base64 of many megabytes is read without running out of stack', () => {
    expect(binaryLeaf.fromJson('A'.repeat(24_000_000))).toBeInstanceOf(Binary);
  });

  it.each<[string, Leaf, string]>([
    ['date', dateLeaf, `2026-01-31T12:00:00.${'1'.repeat(1_000_000)}x`],
    ['uuid', uuidLeaf, 'a'.repeat(1_000_000)],
    ['base64', binaryLeaf, `${'A'.repeat(999_999)}!`],
    ['enum', colour, 'r'.repeat(1_000_000)],
  ])('a %s of 1 MB is refused at once', (_name, leaf, text) => {
    expect(leaf.fromJson(text)).toBeInstanceOf(Invalid);
  });
});
