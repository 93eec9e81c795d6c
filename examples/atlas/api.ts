import { type Api, cursorPaging, service } from 'koa-mongo-resource';
import type { Db } from 'mongodb';
import { City, Country } from './model.ts';

/** The atlas: everybody may read and write it, so there is nothing to say but what it serves. */
export function createAtlas(db: Db): Api {
  const atlas = service();
  const countries = atlas.resource({
    model: Country,
    description: 'All that ISO 3166-1 has a code for.',
    live: true, // `Accept: text/event-stream` keeps a list or a country true
  });
  const cities = atlas.resource({
    model: City,
    description: 'Cities and towns, with the country and the divisions that they lie in.',
    paging: cursorPaging({ max: 1000, total: true }),
    export: { max: 200_000 }, // `Accept: text/csv` streams all cities
    aggregate: { maxMatches: 200_000 },
  });
  return atlas.api({
    db,
    prefix: '/api',
    resources: [countries, cities],
    maxContainsMatches: 200_000, // a part of a name among all cities
    docs: true,
    title: 'Atlas',
    description: 'The countries and cities of the world, from world-countries (ODbL 1.0) and GeoNames (CC BY 4.0).',
    contact: { name: 'The maintainers' },
    license: { name: 'MIT', identifier: 'MIT' },
  });
}
