import fc from 'fast-check';

/**
 * Any Unicode scalar value, as the unit of a string. fast-check's own `binary` takes a second to be made, in each test
 * file.
 */
export const anyCharacter = fc
  .oneof(fc.nat(0x7f), fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((code) => String.fromCodePoint(code));
