import { applyIndexes, Problem } from '../../src/index.ts';
import { useDatabase } from '../support/database/database.ts';
import { expectGolden } from '../support/golden.ts';
import { combinationsOf, type Draft, type FailureName, failures } from './parts/error-failures.ts';
import { calls, type Kind, singleWrites, type Write, writes } from './parts/error-kinds.ts';
import { send } from './parts/send.ts';
import { collectionsOf, type Form, forms, type Served, serveErrors, storeErrors } from './parts/serve-errors.ts';

const database = useDatabase();

/** A request or a call whose draft has these failures, and what came of it: `404 not_found`. */
type Play = (spoilt: readonly FailureName[]) => Promise<string>;

function draftOf(kind: Kind, spoilt: readonly FailureName[]): Draft {
  const draft: Draft = {
    owner: 'ann',
    isMissing: false,
    flags: new Set(kind.flags),
    ifMatch: undefined,
    isGuardClosed: false,
    body: { ...kind.body },
    query: { owner: 'ann' },
    other: 't2',
  };
  for (const name of spoilt) failures[name].spoil(draft);
  return draft;
}

/** Sends a request with the headers of a draft. */
async function answerTo({ api }: Served, write: Write, { ifMatch, isGuardClosed }: Pick<Draft, 'ifMatch' | 'isGuardClosed'>) {
  const headers = { ...(ifMatch && { 'if-match': ifMatch }), ...(isGuardClosed && { 'x-guard': 'closed' }) };
  const { status, text } = await send(api, { ...write, headers });
  return toldOf(status, text === '' ? {} : JSON.parse(text));
}

interface Told {
  readonly type?: string;
  readonly code?: string;
  readonly detail?: string;
  readonly operation?: number;
  readonly errors?: readonly { readonly field: string; readonly rule: string }[];
}

/** `422 validation_failed text(type): The values are not acceptable.`, and the type where the code does not say it. */
function toldOf(status: number, { type, code, detail, operation, errors = [] }: Told): string {
  if (status < 300) return String(status);
  const fields = errors.map(({ field, rule }) => `${field}(${rule})`);
  const isUsual = type === `urn:problem:koa-mongo-resource:${code}`;
  const parts = [status, code, ...(isUsual ? [] : [type]), ...fields, ...(operation === undefined ? [] : [`of operation ${operation}`])];
  return `${parts.join(' ')}${detail ? `: ${detail}` : ''}`;
}

function toldOfError(error: unknown): string {
  if (error instanceof Problem) return toldOf(error.status, error.toDocument() as Told);
  return `${(error as Error).name}: ${(error as Error).message}`;
}

/** Everything that is stored. */
async function stored(form: Form): Promise<string> {
  return JSON.stringify(
    await Promise.all(collectionsOf(form).map((name) => database.db.collection(name).find().sort({ _id: 1 }).toArray())),
  );
}

/** A section about a kind of write: what each of its failures is told alone, and which of two is told. */
async function sectionOf(form: Form, title: string, kind: Kind, play: Play): Promise<string> {
  const lines = [`# ${title}`, await playFresh(form, play, [])];
  const before = await stored(form);
  for (const spoilt of combinationsOf(kind.failures.filter((name) => isKnown(form, name)))) {
    const told = await playFresh(form, play, spoilt);
    // What is said in words is held once.
    lines.push(`${spoilt.join(' + ')} => ${spoilt.length > 1 ? told.replace(/^(\d.*?): .*$/s, '$1') : told}`);
  }
  if ((await stored(form)) !== before) lines.push('What was refused has written something.');
  return `${lines.join('\n')}\n`;
}

/** Only records that are written together can be deleted, or held by others. */
function isKnown(form: Form, name: FailureName): boolean {
  return form === 'together' || (name !== 'deleted' && name !== 'held');
}

async function playFresh(form: Form, play: Play, spoilt: readonly FailureName[]): Promise<string> {
  const told = await play(spoilt);
  if (/^2|^done/.test(told)) await storeErrors(database.db, form);
  return told;
}

/** What a store answers: in a request, within its scope, and of the application. */
const stores = {
  'ctx.store': (served: Served, kind: Kind) => async (spoilt: readonly FailureName[]) => {
    served.call = (tasks) => kind.call?.(tasks, draftOf(kind, spoilt)) ?? Promise.resolve();
    return answerTo(served, { method: 'POST', path: '/tasks/call' }, draftOf(kind, []));
  },
  'api.store': (served: Served, kind: Kind) => async (spoilt: readonly FailureName[]) => {
    try {
      await kind.call?.(served.api.store(served.Task), draftOf(kind, spoilt));
      return 'done';
    } catch (error) {
      return toldOfError(error);
    }
  },
};

/** The member of a batch that a write is. */
function memberOf(kind: Kind, draft: Draft): object {
  const write = kind.write?.(draft);
  return { ...write, ...(draft.ifMatch && { if_match: draft.ifMatch }) };
}

async function sendBatch(served: Served, members: readonly object[], isGuardClosed: boolean): Promise<string> {
  return answerTo(served, { method: 'POST', path: '/batch', body: { operations: members } }, { ifMatch: undefined, isGuardClosed });
}

/** The sections of kinds of writes, one after the other. */
async function sectionsOf(
  form: Form,
  kinds: readonly Kind[],
  title: (kind: Kind) => string,
  play: (kind: Kind) => Play,
): Promise<string[]> {
  const sections: string[] = [];
  for (const kind of kinds)
    if (kind.form === undefined || kind.form === form) sections.push(await sectionOf(form, title(kind), kind, play(kind)));
  return sections;
}

/** Writes that are members of a batch: alone, and two of them, of which each has a failure of its own. */
async function batchesOf(form: Form, served: Served): Promise<string[]> {
  const alone = (kind: Kind): Play => {
    return async (spoilt) => {
      const draft = draftOf(kind, spoilt);
      return sendBatch(served, [memberOf(kind, draft)], draft.isGuardClosed);
    };
  };
  const two = (kind: Kind): Play => {
    return async (spoilt) => {
      const drafts = [0, 1].map((index) => draftOf(kind, spoilt.slice(index, index + 1)));
      const members = drafts.map((draft) => memberOf(kind, draft));
      return sendBatch(
        served,
        members,
        drafts.some(({ isGuardClosed }) => isGuardClosed),
      );
    };
  };
  const patches = singleWrites.filter(({ name }) => name === 'patch');
  return [
    ...(await sectionsOf(form, singleWrites, ({ name }) => `${name}, alone in a batch`, alone)),
    ...(await sectionsOf(form, patches, () => 'two patches in a batch: the first has the first failure, the second the second one', two)),
  ];
}

describe.each(forms)('records that are written %s', (form) => {
  let served: Served;
  beforeAll(async () => {
    served = serveErrors(database.db, form);
    for (const name of collectionsOf(form)) await database.db.createCollection(name);
    await applyIndexes(served.api);
    await storeErrors(database.db, form);
  });

  const compare = (name: string, sections: readonly string[]) => expectGolden(`errors/${form}-${name}.txt`, sections.join('\n'));

  it('refuse each write of a client for the same reason as before, where there are two', async () => {
    const play = (kind: Kind): Play => {
      return async (spoilt) => {
        const draft = draftOf(kind, spoilt);
        return answerTo(served, kind.write?.(draft) as Write, draft);
      };
    };
    await compare('writes', await sectionsOf(form, writes, ({ name }) => name, play));
  }, 600_000); // a net for a hung test: hundreds of requests take their time on a busy machine

  it('refuse each member of a batch for the same reason as before, and one of two', async () => {
    await compare('batches', await batchesOf(form, served));
  }, 600_000);

  it.each(['ctx.store', 'api.store'] as const)(
    'refuse each call of %s for the same reason as before, where there are two',
    async (name) => {
      const play = (kind: Kind): Play => stores[name](served, kind);
      await compare(name.replace('.', '-'), await sectionsOf(form, calls, (kind) => `${name}: ${kind.name}`, play));
    },
    600_000,
  );
});
