/**
 * The user and the password in a URI of MongoDB. An unescaped password may hold `/`, `@` and spaces: all up to the last
 * `@` of the line goes.
 */
const ofMongo = /(?<=\bmongodb(?:\+srv)?:\/\/).*@/gi;

/** The same in any other URI, whose path may hold `@`. */
const ofOthers = /(?<=\b(?!file:)[a-z][a-z\d+.-]*:\/\/)[^\s/?#@]*:[^\s/?#]*@/gi;

/**
 * A text without the users and the passwords of the URIs in it: messages repeat arguments, and what drivers and modules
 * say.
 */
export function withoutCredentials(text: string): string {
  return text.replace(ofMongo, '***@').replace(ofOthers, '***@');
}
