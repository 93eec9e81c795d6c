import { join } from 'node:path';
import { applyIndexes } from 'koa-mongo-resource';
import { serve } from '../serve.ts';
import { createAtlas } from './api.ts';
import { loadAtlas } from './load.ts';
import { showProgress } from './progress.ts';

const url = await serve({
  // ATLAS_DATA names another folder; with MONGODB_URI there is none.
  dbPath: process.env.ATLAS_DATA || join(import.meta.dirname, '.data'),
  async createApi(client) {
    const db = client.db('koa-mongo-resource-atlas');
    const atlas = createAtlas(db);
    await loadAtlas(db, showProgress('countries and cities'));
    await applyIndexes(atlas); // after the documents: one pass over all of them is faster than 171,075 insertions into six trees
    return atlas;
  },
});

console.log(`
Open ${url}/api/docs to read and try the api. Ready after ${process.uptime().toFixed(1)} s; Ctrl-C ends it. In a shell:

# filters and a sort: Swiss cities whose names begin with Ober
curl -g '${url}/api/cities?country=CH&name[prefix]=Ober&sort=name&limit=3'

# a name in any case, with or without its accents: Zürich
curl '${url}/api/cities?name=zurich'

# what is near me: the cities within 10 km of a place, nearest first, and how far away they are in metres
curl '${url}/api/cities?near=8.54,47.37,10000&distances=true&limit=3'

# a bound on a nested field, descending: the northernmost countries
curl -g '${url}/api/countries?location.lat[gte]=60&sort=-location.lat&limit=3'

# one page of many: the Link header leads to the next
curl -i '${url}/api/cities?sort=country,name&limit=2&total=true'

# one condition or another, percent-encoded: country = "LI" OR prefix(name, "Zür")
curl -g '${url}/api/cities?filter=country%20%3D%20%22LI%22%20OR%20prefix(name%2C%20%22Z%C3%BCr%22)&sort=name&limit=3'

# a search: the countries with this word in one of their names, the best match first
curl '${url}/api/countries?q=guinea'

# numbers by groups: how many cities each country has around Basel
curl '${url}/api/cities/aggregate?near=7.59,47.56,30000&group=country'

# the whole list as a table
curl -H 'Accept: text/csv' '${url}/api/cities?country=LI&sort=name'

# nested objects and maps: one whole country
curl '${url}/api/countries?name.common=Switzerland'

# a change to one nested key, if nobody was faster; the second time it is 412
curl -i -X PATCH '${url}/api/countries/CH' -H 'If-Match: "0"' -H 'Content-Type: application/json' -d '{"name":{"common":"Helvetia"}}'

# an error that explains itself
curl '${url}/api/cities?contry=CH&sort=nmae'

# a country as a stream of events, until Ctrl-C: change it in another shell, or on the docs page
curl -N -H 'Accept: text/event-stream' '${url}/api/countries/CH'
`);
