import { Decimal128, Double, Int32, ObjectId } from 'mongodb';

// Records of the shapes that the public documentation of MongoDB's sample data sets describes ("Atlas Sample Data",
// www.mongodb.com/docs/atlas/sample-data). The values are made up.

const id = (number: number) => new ObjectId(number.toString(16).padStart(24, '0'));
const day = (number: number) => new Date(Date.UTC(2010, 0, 1 + number));

/** The shape of `sample_mflix.movies`. */
const movies = Array.from({ length: 40 }, (_, index) => ({
  _id: id(index),
  ...(index % 5 && { plot: `Plot ${index}`, fullplot: `All of plot ${index}` }),
  genres: index % 2 ? ['Drama'] : ['Comedy', 'Short'],
  ...(index % 3 && { runtime: new Int32(60 + index), rated: index % 2 ? 'PG' : 'G' }),
  cast: [`Actor ${index}`],
  num_mflix_comments: new Int32(index),
  title: `Title ${index}`,
  ...(index % 4 && { poster: `https://example.org/${index}.jpg` }),
  lastupdated: `2015-08-${String((index % 28) + 1).padStart(2, '0')} 00:56:09.747000000`,
  awards: { wins: new Int32(index % 4), nominations: new Int32(1), text: `${index % 4} wins.` },
  year: index % 10 === 9 ? '2010è' : new Int32(1950 + index), // some years of the set are texts
  imdb: { rating: index % 10 === 3 ? '' : index % 2 ? new Double(7.5) : new Int32(7), votes: new Int32(index), id: new Int32(index) },
  ...(index % 2 && { released: day(index) }),
  countries: ['USA'],
  type: index % 8 ? 'movie' : 'series',
  tomatoes: {
    viewer: { rating: new Double(3.7), numReviews: new Int32(index), ...(index % 2 && { meter: new Int32(60) }) },
    ...(index % 2 && { critic: { rating: new Double(7.1), numReviews: new Int32(3), meter: new Int32(90) }, fresh: new Int32(6) }),
    lastUpdated: day(index),
  },
}));

/** The shape of `sample_supplies.sales`. */
const sales = Array.from({ length: 30 }, (_, index) => ({
  _id: id(1_000 + index),
  saleDate: day(index),
  items: [
    { name: 'pens', tags: ['writing', 'office'], price: Decimal128.fromString('14.16'), quantity: new Int32(3) },
    { name: 'notepad', tags: [], price: Decimal128.fromString(`${index}.10`), quantity: new Int32(1) },
  ],
  storeLocation: index % 2 ? 'Denver' : 'Seattle',
  customer: { gender: index % 2 ? 'F' : 'M', age: new Int32(20 + index), email: `c${index}@example.org`, satisfaction: new Int32(4) },
  couponUsed: index % 3 === 0,
  purchaseMethod: index % 2 ? 'Online' : 'In store',
}));

/** The shape of `sample_analytics.customers`, whose tiers are maps. */
const customers = Array.from({ length: 30 }, (_, index) => ({
  _id: id(2_000 + index),
  username: `user${index}`,
  name: `Name ${index}`,
  address: `Street ${index}\nTown`,
  birthdate: day(-index * 300),
  email: `u${index}@example.org`,
  ...(index % 3 === 0 && { active: true }),
  accounts: [new Int32(100 + index), new Int32(200)],
  tier_and_details: {
    [`${index.toString(16).padStart(32, '0')}`]: { tier: 'Gold', id: `${index}`, active: true, benefits: ['24 hour support'] },
  },
}));

/** The shape of `sample_training.trips`, whose keys have spaces. */
const trips = Array.from({ length: 30 }, (_, index) => ({
  _id: id(3_000 + index),
  tripduration: new Int32(300 + index),
  'start station id': new Int32(index),
  'start station name': `Station ${index}`,
  'end station id': new Int32(index + 1),
  'end station name': `Station ${index + 1}`,
  bikeid: new Int32(index),
  usertype: index % 2 ? 'Subscriber' : 'Customer',
  'birth year': index % 4 ? new Int32(1970) : '', // an empty text, if it is not known
  gender: new Int32(1),
  'start station location': { type: 'Point', coordinates: [new Double(-73.98), new Double(40.76)] },
  'end station location': { type: 'Point', coordinates: [new Double(-73.97), new Double(40.75)] },
  'start time': day(index),
  'stop time': day(index + 1),
}));

export const samples = { movies, sales, customers, trips };
