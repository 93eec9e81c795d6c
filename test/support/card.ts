/**
 * The design card of the library, as data: a Koa middleware stack composed of small middlewares of one purpose, into
 * whose chains resources expand. `test/card.test.ts` holds the repository against it, and
 * `test/middleware/concerns.test.ts` runs the middlewares of each concern in an app without the rest of the library.
 */

/** What the library is made of, each with the part of package.json that names it. */
export const packages = {
  koa: 'peerDependencies',
  '@koa/router': 'dependencies',
  'koa-compose': 'dependencies',
  mongodb: 'peerDependencies',
  ajv: 'dependencies',
  'ajv-formats': 'dependencies',
  'raw-body': 'dependencies',
  jest: 'devDependencies',
  'mongodb-memory-server': 'devDependencies',
  typescript: 'devDependencies',
} as const;

export const topLevel: readonly string[] = [
  'src/middleware/',
  'src/resource/',
  'src/openapi/',
  'test/',
  'examples/',
  'package.json',
  'tsconfig.json',
  'jest.config.ts',
  'README.md',
];

/**
 * What lies at the top level beyond the card, each with the reason. The architecture page has the other rooms of
 * `src/`.
 */
export const beyond: Readonly<Record<string, string>> = {
  '.ci': 'proves a clean clone: what CI runs is a file that everybody can run',
  '.editorconfig': 'editors indent as the formatter does, before it runs',
  '.gitignore': 'what is installed, built or measured is in no commit',
  '.npmrc': 'the lock file names no host, so that it holds behind any registry',
  'CHANGELOG.md': 'users read here what an upgrade changes; it is packed',
  'CONTRIBUTING.md': 'hosts of repositories look for it here, and offer it to who opens a pull request',
  LICENSE: 'npm packs it from here, and from nowhere else',
  'SECURITY.md': 'hosts of repositories look for it here: how to report a weakness',
  bench: 'measures the library beside others; its packages are not those of the tests',
  'biome.jsonc': 'the formatter and the linter look for it here',
  create: 'a package of its own, `create-koa-mongo-resource`, which `npm create` looks for by this name',
  dev: 'scripts that build, start a MongoDB and write files: neither shipped nor tests',
  docs: 'the pages; they are packed, and the README leads to them',
  'knip.json': 'knip looks for it here: what is unused fails',
  'package-lock.json': '`npm ci` installs what was tested',
  release: 'makes the files of a version, and keeps what the package exports',
  site: 'makes a site of the pages, by packages that nothing else needs',
  'tsconfig.build.json': 'the build declares `src/` alone, and `tsconfig.json` is for editors and all code',
};

/** The concerns of an operation, in the words of the card, each with the public middlewares that have it. */
export const concerns: Readonly<Record<string, readonly string[]>> = {
  'body limit': ['bodyLimit', 'jsonBody'],
  auth: ['authenticate'],
  'guard-once': ['guards'],
  scope: ['scope'],
  conditional: ['ifMatch', 'notModified'],
  'query parse': ['listQuery', 'filterQuery', 'typedQuery'],
  'policy-check': ['checkCreate', 'checkPatch', 'checkPut'],
  persist: ['insert', 'update', 'remove'],
  hooks: ['beforeHooks', 'withinTransaction', 'afterHooks'],
  'problem renderer': ['problems'],
};

/** What the library is used for, each with an example, to which the README leads, and the test that runs it. */
export const uses: Readonly<Record<string, readonly [example: string, test: string]>> = {
  'dropping into a Koa app': ['examples/minimal.ts', 'test/examples/minimal.test.ts'],
  'reusing individual middlewares outside resources': ['examples/middleware-only', 'test/examples/middleware-only.test.ts'],
  'composing custom ops from the same middlewares': ['examples/custom-operations', 'test/examples/custom-operations.test.ts'],
};
