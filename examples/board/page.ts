import { type LiveList, live } from 'koa-mongo-resource/client';

interface Card {
  readonly id: string;
  readonly title: string;
  readonly column: string;
  readonly changedBy: string;
  readonly revision: number;
}

const name = new URLSearchParams(location.search).get('as') ?? 'ann';
const headers = { Authorization: `Bearer ${name}` };

let cards: readonly Card[] = [];
/** The cards that somebody else has changed while the user moved them, by their ids. */
const lost = new Set<string>();
/** The card that the user holds, as it was when they took it. */
let held: Card | undefined;

const find = <Found extends Element>(selector: string) => document.querySelector<Found>(selector) as Found;
const say = (text: string) => {
  find('output').textContent = text;
};

live('/api/cards?limit=100', {
  headers,
  onChange({ data }: LiveList<Card>) {
    cards = data;
    say('');
    draw();
  },
  onError: () => say('The connection is broken. What you see may be old.'),
  onEnd: ({ title, detail }) => say(detail ?? title),
});

/** Draws the board. The card that is held stays: without its element, the browser would end the drag. */
function draw(): void {
  if (held) return;
  for (const column of document.querySelectorAll<HTMLElement>('[data-column]'))
    column.replaceChildren(...cards.filter((card) => card.column === column.dataset.column).map(drawCard));
}

function drawCard(card: Card): HTMLElement {
  const element = document.createElement('li');
  const by = document.createElement('small');
  element.textContent = card.title;
  by.textContent = lost.has(card.id) ? `${card.changedBy} was faster` : `by ${card.changedBy}`;
  element.append(by);
  element.classList.toggle('lost', lost.has(card.id));
  element.draggable = true;
  element.addEventListener('dragstart', () => {
    held = card;
    lost.delete(card.id);
  });
  element.addEventListener('dragend', () => {
    held = undefined;
    draw();
  });
  return element;
}

for (const element of document.querySelectorAll<HTMLElement>('[data-column]')) {
  element.addEventListener('dragover', (event) => event.preventDefault()); // it may be dropped here
  element.addEventListener('drop', (event) => {
    event.preventDefault();
    const { column = '' } = element.dataset;
    if (held && held.column !== column) void move(held, column);
  });
}

/** Moves a card as the user has seen it. If somebody else was faster, theirs counts, which the stream brings. */
async function move({ id, revision }: Card, column: string): Promise<void> {
  const answer = await send('PATCH', `/api/cards/${id}`, { column }, { 'If-Match': `"${revision}"` });
  if (answer.status === 412) lost.add(id);
  else if (!answer.ok) say((await answer.json()).detail);
  draw();
}

function send(method: string, url: string, body: object, more: object = {}): Promise<Response> {
  return fetch(url, { method, headers: { ...headers, ...more, 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
}

find('form').addEventListener('submit', (event) => {
  event.preventDefault();
  const input = find<HTMLInputElement>('input');
  void send('POST', '/api/cards', { title: input.value });
  input.value = '';
});
find('h1').textContent = `The board of ${name}`;
