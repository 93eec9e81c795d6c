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
});
