import { singular, wordsOf } from './names.ts';

/** Words of keys whose values nobody should read by accident. Several words are written as one. */
const secrets = new Set(
  [
    'password passwd passphrase pwd hash salt pepper pin otp totp secret credential',
    'token jwt jws bearer cookie sessionid apikey accesskey privatekey secretkey encryptionkey signingkey mfa recoverycode backupcode',
    'ssn socialsecurity taxid iban bic passport cvv cvc creditcard cardnumber accountnumber',
  ].flatMap((line) => line.split(' ')),
);

/** Whether the name of a key says that its values are secrets, as in `passwordHash`, `reset_tokens` and `apiKey`. */
export function namesSecret(key: string): boolean {
  const words = wordsOf(key).map(singular);
  return words.some((word, at) => secrets.has(word) || secrets.has(word + (words[at + 1] ?? '')));
}
