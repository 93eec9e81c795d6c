import { useDatabase } from '../support/database/database.ts';
import { send, useServer } from '../support/http/serve.ts';
import { exchangesOf, Player } from './parts/exchanges.ts';
import { useWritePage } from './parts/write-page.ts';

const writePage = useWritePage();
const page = 'docs/guides/transactions.md';
const database = useDatabase();
const serve = useServer();

describe('the guide on transactions', () => {
  it('is answered as it shows, with ten orders at once', async () => {
    const written = await writePage(page);
    const { createShop, Product } = await written.load('api.ts');
    const api = createShop(database.db);
    const { port } = await serve(api.routes());
    const player = new Player(port);
    await player.playAll(exchangesOf(page));

    const product = player.known.get('6b01b4bf4ace1bf9239ebeed') ?? '';
    const place = () => send(port, 'POST', '/api/orders', { body: { items: [{ product, count: 1 }] } });
    const answers = await Promise.all(Array.from({ length: 10 }, place));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409, 409, 409, 409, 409]);
    expect(await api.store(Product).get(product)).toMatchObject({ stock: 0, revision: 3 });
    expect(answers.find(({ status }) => status === 201)?.headers.location).toMatch(/^\/api\/orders\/[0-9a-f]{24}$/);

    const { sendMessages } = await written.load('send-messages.ts');
    const sent: unknown[] = [];
    const note = async ({ order }: { order: unknown }) => void sent.push(order);
    expect([await sendMessages(api, note), await sendMessages(api, note), sent.length]).toEqual([3, 0, 3]);
  });

  it('books no room twice for one time, whoever asks at the same time, and however a booking is moved', async () => {
    const { createBookings } = await (await writePage(page)).load('bookings.ts');
    const { port } = await serve(createBookings(database.db).routes());
    const post = async (path: string, body: object) => send(port, 'POST', path, { body });
    const idOf = ({ body }: { body: { data: { id: string } } }) => body.data.id;
    const room = idOf(await post('/rooms', { name: 'Blue' }));
    const other = idOf(await post('/rooms', { name: 'Red' }));
    const time = (hour: number) => `2026-01-31T${hour}:00:00.000Z`;
    const book = (from: number, to: number, of = room) => post('/bookings', { room: of, from: time(from), to: time(to) });

    const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => book(10 + (n % 2), 12)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
    expect(answers.find(({ status }) => status === 409)?.body).toMatchObject({ title: 'The room is taken' });
    expect((await book(12, 14)).status).toBe(201);
    expect((await book(10, 14, other)).status).toBe(201);
    const later = idOf(await book(15, 16));
    const move = async (from: number, to: number) =>
      send(port, 'PATCH', `/bookings/${later}`, { body: { from: time(from), to: time(to) } });
    expect([(await move(13, 16)).status, (await move(14, 16)).status, (await move(14, 17)).status]).toEqual([409, 200, 200]);
    expect((await move(17, 14)).body).toMatchObject({ status: 422, errors: [{ field: 'to' }] });
    expect((await send(port, 'PATCH', `/bookings/${later}`, { body: { room: other, from: time(11), to: time(12) } })).status).toBe(409);
  });
});
