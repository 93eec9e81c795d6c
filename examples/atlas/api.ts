import { type Api, cursorPaging, service } from 'koa-mongo-resource';
import type { Db } from 'mongodb';
import { City, Country } from './model.ts';

/** The atlas: everybody may read and write it, so there is nothing to say but what it serves. */
export function createAtlas(db: Db): Api {
  const atlas = service();
  const countries = atlas.resource({ model: Country });
  const cities = atlas.resource({ model: City, paging: cursorPaging({ max: 1000, total: true }) });
  return atlas.api({ db, prefix: '/api', resources: [countries, cities] });
}
