import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, ScryptOptions, Buffer>(scrypt);
const keyLength = 32;

/** What scrypt may use: twice the memory that it needs. */
const optionsOf = (cost: number): ScryptOptions => ({ cost, maxmem: 2 * 128 * 8 * (cost + 4) });

/** The hash of a password, with its salt and its cost: the `N` of scrypt, a power of two. */
export async function hash(password: string, cost = 16_384): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, keyLength, optionsOf(cost));
  return `${cost}.${salt.toString('base64url')}.${key.toString('base64url')}`;
}

/** Whether a hash is that of a password. */
export async function verify(password: string, hashed: string): Promise<boolean> {
  const [, cost, salt = '', key = ''] = /^(\d+)\.([\w-]+)\.([\w-]+)$/.exec(hashed) ?? [];
  if (cost === undefined) return false;
  const expected = Buffer.from(key, 'base64url');
  const found = await derive(password, Buffer.from(salt, 'base64url'), keyLength, optionsOf(Number(cost)));
  return expected.length === found.length && timingSafeEqual(expected, found);
}
