import { defineModel, t } from 'koa-mongo-resource';

const Name = t.object('Name', { common: t.string(), official: t.string() });
const Currency = t.object('Currency', { name: t.string(), symbol: t.string() });
const Demonym = t.object('Demonym', { f: t.string(), m: t.string() });

/** ISO 3166-1 alpha-2, as in `CH`: the id of a country, and what a city refers to. */
const CountryCode = t.string({ pattern: '^[A-Z]{2}$' });

/** ISO 639-3, as in `gsw`: the key of everything that is said in a language. */
const language = { pattern: '^[a-z]{3}$' };

export const Country = defineModel('Country', {
  collection: 'countries',
  fields: {
    id: t.string({ pattern: '^[A-Z]{2}$', policy: { insert: true, filter: ['in'] } }),
    cca3: t.string({ pattern: '^[A-Z]{3}$', immutable: true, unique: true, policy: { filter: ['eq', 'in'] } }),
    ccn3: t.nullable(t.string({ pattern: '^\\d{3}$', immutable: true })),
    cioc: t.nullable(t.string({ pattern: '^[A-Z]{3}$' })),
    name: t.object('CountryName', {
      common: t.string({ policy: { filter: ['eq', 'prefix'], sort: true } }),
      official: t.string(),
      native: t.map(Name, { propertyNames: language }),
    }),
    region: t.enum(['Africa', 'Americas', 'Antarctic', 'Asia', 'Europe', 'Oceania'], { policy: { filter: ['eq', 'in'] } }),
    subregion: t.nullable(t.string({ policy: { filter: ['eq'] } })),
    unRegionalGroup: t.nullable(t.string()),
    status: t.enum(['officially-assigned', 'user-assigned']),
    independent: t.nullable(t.boolean({ policy: { filter: ['eq'] } })), // disputed, where null
    unMember: t.boolean({ policy: { filter: ['eq'] } }),
    landlocked: t.boolean({ policy: { filter: ['eq'] } }),
    location: t.object('CountryLocation', {
      lat: t.float({ minimum: -90, maximum: 90, policy: { filter: ['gte', 'lt'], sort: true } }),
      lng: t.float({ minimum: -180, maximum: 180 }),
    }),
    area: t.nullable(t.float({ exclusiveMinimum: 0, policy: { filter: ['gte', 'lt'], sort: true } })), // in km²
    borders: t.array(t.string({ pattern: '^[A-Z]{3}$' }), { policy: { filter: ['eq'] } }),
    capital: t.array(t.string()),
    altSpellings: t.array(t.string()),
    tld: t.array(t.string()),
    idd: t.nullable(t.object('DialingCode', { root: t.string(), suffixes: t.array(t.string()) })),
    currencies: t.map(Currency, { propertyNames: { pattern: '^[A-Z]{3}$' } }),
    languages: t.map(t.string(), { propertyNames: language }),
    demonyms: t.map(Demonym, { propertyNames: language }),
    translations: t.map(Name, { propertyNames: language }),
    flag: t.nullable(t.string()),
    revision: t.revision(),
  },
  search: { fields: { 'name.common': 20, 'name.official': 5, altSpellings: 5, capital: 5, subregion: 1 } },
});

export const City = defineModel('City', {
  collection: 'cities',
  fields: {
    name: t.string({ minLength: 1, caseless: true, policy: { filter: ['eq', 'prefix', 'contains'], sort: true } }), // zurich is Zürich
    country: t.ref('Country', { id: CountryCode, policy: { filter: ['eq', 'in'], sort: true, group: true } }),
    // GeoNames' codes of administrative divisions: the second means something within the first, the first within the
    // country.
    admin1: t.nullable(t.string({ index: false, policy: { filter: ['eq'], group: true } })),
    admin2: t.nullable(t.string({ index: false, policy: { filter: ['eq'] } })),
    location: t.point({ policy: { near: { maxMetres: 500_000 } } }),
    revision: t.revision(),
  },
  // Beside those of single fields, which the library derives: the sort that a walk through all cities has, and the
  // divisions of a country.
  indexes: [{ fields: ['country', 'name', 'id'] }, { fields: ['country', 'admin1', 'admin2', 'name', 'id'] }],
});
