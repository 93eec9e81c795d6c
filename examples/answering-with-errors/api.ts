import { type Api, defineModel, Problem, service, t, Unauthorized, type WriteProblem } from 'koa-mongo-resource';
import type { Db } from 'mongodb';

/** Seats that are booked by name; a seat has one booking. */
const Booking = defineModel('Booking', {
  collection: 'bookings',
  fields: {
    seat: t.string({ unique: true, pattern: '^[A-Z][0-9]+$' }),
    guest: t.string({ minLength: 1 }),
    from: t.int(),
    to: t.int(),
    paid: t.boolean({ default: false, policy: { insert: false, update: false } }),
  },
  check: ({ from, to }) =>
    to > from ? undefined : [{ field: 'to', message: 'must be after from', rule: 'after', params: { other: 'from' } }],
});

const german: Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => string>> = {
  required: () => 'fehlt',
  minLength: ({ limit }) => `braucht mindestens ${limit} Zeichen`,
  after: ({ other }) => `muss nach ${other} liegen`,
};

/** Says what is wrong with a field in German, where the client asks for it and the rule is known. */
const inGerman: WriteProblem = (document, ctx) => {
  if (ctx.acceptsLanguages(['en', 'de']) !== 'de') return document;
  const errors = document.errors?.map((error) => ({ ...error, message: german[error.rule]?.(error.params ?? {}) ?? error.message }));
  ctx.set('content-language', 'de');
  return { ...document, errors };
};

/** An api that answers with errors in every way that there is. */
export function createBookings(db: Db): Api {
  const theatre = service({
    authenticate(ctx) {
      const [scheme, token] = ctx.get('authorization').split(' ');
      if (!scheme) return undefined;
      if (token !== 'ann-token') throw new Unauthorized('The token is not known.', { 'www-authenticate': 'Bearer realm="theatre"' });
      return { name: 'ann' };
    },
  });
  const bookings = theatre.resource({
    model: Booking,
    ops: ['get', 'create'],
    operations: {
      pay: {
        method: 'POST',
        summary: 'Pay a booking',
        async handler(ctx) {
          const booking = await ctx.load();
          if (booking.paid) {
            throw new Problem({
              status: 409,
              code: 'already_paid',
              title: 'Already paid',
              detail: `The booking of ${booking.seat} is paid already.`,
              errors: [{ field: 'paid', message: 'is true', rule: 'unpaid' }],
            });
          }
          booking.paid = true;
          return ctx.save(booking);
        },
      },
      print: {
        method: 'POST',
        summary: 'Print a ticket',
        handler(ctx) {
          ctx.throw(410, 'Tickets are not printed any more.');
        },
      },
      double: {
        method: 'POST',
        summary: 'Book the same seat again',
        async handler(ctx) {
          const { seat, guest, from, to } = await ctx.load();
          await db.collection('bookings').insertOne({ seat, guest, from, to });
        },
      },
    },
  });
  return theatre.api({ db, prefix: '/api', title: 'Theatre', resources: [bookings], problem: inGerman });
}
