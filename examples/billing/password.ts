import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, Buffer>(scrypt);
const keyLength = 32;

/** The hash of a password, with its salt. */
export async function hash(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, keyLength);
  return `${salt.toString('base64url')}.${key.toString('base64url')}`;
}

/** Whether a hash is that of a password. */
export async function verify(password: string, hashed: string): Promise<boolean> {
  const [salt = '', key = ''] = hashed.split('.');
  const expected = Buffer.from(key, 'base64url');
  const found = await derive(password, Buffer.from(salt, 'base64url'), keyLength);
  return expected.length === found.length && timingSafeEqual(expected, found);
}
