import { type Api, defineModel, service, t } from '../../src/index.ts';
import { useCommands } from '../support/database/commands.ts';
import { useDatabase } from '../support/database/database.ts';
import { cases, seed } from '../support/fuzzing/fuzz.ts';
import { randomFrom } from '../support/fuzzing/random-from.ts';

const database = useDatabase({ monitorCommands: true });
const commands = useCommands(database);
const owners = ['ann', 'bob'] as const;
const recordCount = 12;

const Note = defineModel('Note', {
  collection: 'notes',
  fields: {
    id: t.string({ policy: { insert: true } }),
    owner: t.string({ policy: { insert: false, update: false } }),
    n: t.int(),
    revision: t.revision(),
  },
});

function build(): Api {
  const notebook = service<string>({ authenticate: (ctx) => ctx.get('X-User') });
  const notes = notebook.resource({
    model: Note,
    ops: ['get', 'create', 'patch', 'delete'],
    scope: (ctx) => ({ owner: ctx.requirePrincipal() }),
    serverFields: (ctx) => ({ owner: ctx.requirePrincipal() }),
  });
  return notebook.api({ db: database.db, resources: [notes] });
}

/**
 * What one record has been: `begun` and `ended` are the versions whose writes have been sent and answered. A deleted
 * record has no `n`.
 */
interface History {
  readonly states: ({ readonly owner: string; readonly n: number } | undefined)[];
  begun: number;
  ended: number;
}

describe('gets that share round trips', () => {
  it('answer what each would have been answered alone, at some moment between its request and its answer', async () => {
    const api = build();
    const random = randomFrom(seed);
    const histories = Array.from({ length: recordCount }, (): History => ({ states: [undefined], begun: 0, ended: 0 }));
    let isOver = false;
    let gets = 0;

    const send = (user: string, method: string, path: string, body?: object) =>
      api.fetch(
        new Request(`http://here/notes${path}`, {
          method,
          headers: { 'X-User': user, ...(body && { 'Content-Type': 'application/json' }) },
          ...(body && { body: JSON.stringify(body) }),
        }),
      );

    /** Each record has one writer, so that its history is known. */
    async function write(id: number): Promise<void> {
      const history = histories[id] as History;
      for (let n = 1; !isOver; n++) {
        const before = history.states.at(-1);
        const owner = before?.owner ?? (owners[Math.floor(random() * 2)] as string);
        const isDeleted = before !== undefined && random() < 0.2;
        history.states.push(isDeleted ? undefined : { owner, n });
        history.begun = history.states.length - 1;
        const answer = isDeleted
          ? await send(owner, 'DELETE', `/${id}`)
          : await (before ? send(owner, 'PATCH', `/${id}`, { n }) : send(owner, 'POST', '', { id: String(id), n }));
        expect(answer.ok).toBe(true);
        history.ended = history.begun;
        if (random() < 0.3) await new Promise(setImmediate);
      }
    }

    async function read(): Promise<void> {
      while (!isOver && gets < cases(4_000).numRuns) {
        const id = Math.floor(random() * recordCount);
        const user = owners[Math.floor(random() * 2)] as string;
        const history = histories[id] as History;
        const first = history.ended;
        const answer = await send(user, 'GET', `/${id}`);
        const text = await answer.text();
        const possible = history.states.slice(first, history.begun + 1).map((state) => (state?.owner === user ? state.n : 404));
        const seen = answer.status === 200 ? JSON.parse(text).data.n : answer.status;
        expect(possible).toContain(seen);
        gets++;
      }
    }

    // Whoever ends first, the readers with enough answers or one that fails, ends all.
    const tasks = [...histories.map((_history, id) => write(id)), ...Array.from({ length: 40 }, read)].map((task) =>
      task.finally(() => {
        isOver = true;
      }),
    );
    await Promise.all(tasks);
    const shared = commands.events.filter(({ commandName, command }) => commandName === 'find' && command.filter._id?.$in);
    expect(shared.length).toBeGreaterThan(100);
  }, 600_000); // a net for a hung test: thousands of gets take their time on a busy machine
});
