import { randomBytes } from 'node:crypto';
import { ConfigurationError } from '../../errors.ts';

/** What is used of the package `standardwebhooks`. */
export interface Signer {
  sign(id: string, at: Date, body: string): string;
}

/** Makes the signer of a secret. */
export type SignerOf = (secret: string) => Signer;

/** Loads the package that signs, an optional peer dependency. Throws a {@link ConfigurationError} if it is missing. */
export async function loadSigner(load: () => Promise<{ Webhook: new (secret: string) => Signer }> = importSigner): Promise<SignerOf> {
  try {
    const { Webhook } = await load();
    return (secret) => new Webhook(secret);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new ConfigurationError('Webhooks are signed by the package `standardwebhooks`: run `npm install standardwebhooks`.', {
      cause: error,
    });
  }
}

function importSigner() {
  return import('standardwebhooks');
}

/** A new secret, as Standard Webhooks writes it: 32 random bytes. */
export function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}
