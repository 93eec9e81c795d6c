import { type Api, openStore } from 'koa-mongo-resource';
import type { Db } from 'mongodb';
import { createAtlas } from '../../examples/atlas/api.ts';
import { loadAtlas, readAtlasData } from '../../examples/atlas/load.ts';
import { createBilling } from '../../examples/billing/api.ts';
import { importTasks } from '../../examples/billing/import-tasks.ts';
import { User } from '../../examples/billing/model.ts';
import { hash } from '../../examples/billing/password.ts';
import { createHelpdesk } from '../../examples/custom-operations/api.ts';
import { createShop } from '../../examples/orders/api.ts';
import { createProjects } from '../../examples/projects/api.ts';
import { seed } from '../../examples/projects/seed.ts';
import { everyApi } from '../../test/openapi/every-api.ts';

/** What Schemathesis is let loose upon. */
interface FuzzedApi {
  readonly create: (db: Db) => Api;
  /** Fills the database. @default it begins empty */
  readonly load?: (db: Db) => Promise<void>;
  /** What every request carries: a token, where the api knows tokens. */
  readonly headers: readonly string[];
  /** Paths that are left out. @default none */
  readonly excluded?: readonly string[];
  /** Further arguments. @default none */
  readonly more?: readonly string[];
}

/** Not `missing_test_data`: whether an invented id is that of a record is a matter of chance. */
const withoutTestData = '--warnings=missing_auth,unsupported_regex,method_not_allowed';

export const fuzzedApis: Readonly<Record<string, FuzzedApi>> = {
  atlas: {
    create: createAtlas,
    load: (db) => loadAtlas(db, () => {}, readLiechtenstein),
    headers: [],
  },
  billing: {
    create: createBilling,
    load: async (db) => {
      const password = await hash('correct horse', 2); // each request verifies it: at the usual cost, four fifths of the time
      await openStore(User, { db }).create({ email: 'ann@acme.example', password, tenant: 'acme' });
      await importTasks(db, 'acme', 'Design;90;done\nReview;30');
    },
    excluded: ['/api/batch'], // the generator comes to no end with it: each operation of a batch is one of many closed objects
    more: [withoutTestData],
    headers: [`Authorization: Basic ${Buffer.from('ann@acme.example:correct horse').toString('base64')}`],
  },
  'custom-operations': {
    create: (db) => createHelpdesk(db, () => {}),
    headers: ['Authorization: Bearer agent-fay'], // for whom all rules hold, as for whom the description is
    more: [withoutTestData], // a ticket is released only by the agent who has taken it
  },
  'every-builder': {
    create: everyApi,
    headers: ['Authorization: Bearer ann-token'],
    more: [withoutTestData],
  },
  orders: {
    create: createShop,
    headers: ['Authorization: Bearer root-token'],
  },
  projects: {
    create: createProjects,
    load: (db) => seed(createProjects(db)),
    headers: ['Authorization: Bearer ann-token'],
    more: [withoutTestData],
  },
};

/** All countries, and so few cities that a load costs nothing. */
function readLiechtenstein(): ReturnType<typeof readAtlasData> {
  const { countries, cities } = readAtlasData();
  return { countries, cities: cities.filter(({ country }) => country === 'LI') };
}
