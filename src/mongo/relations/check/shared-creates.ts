import { isProblem } from '../../../errors.ts';
import type { CompiledModel } from '../../../model/compile/compile-model.ts';
import type { ModelCollection } from '../../collection/collection.ts';
import { planCommands } from '../../driver/commands.ts';
import { runTransaction } from '../../driver/run-transaction.ts';
import { roughSizes, shares, type Waiting } from '../../driver/sharing.ts';
import { currentTrace, runFor } from '../../driver/trace/request-trace.ts';
import { pause } from '../../driver/turn.ts';
import { type Command, Work } from '../../driver/work.ts';
import { filterOf } from '../../predicate/filter-of.ts';
import { textOf } from '../../query/text-of.ts';
import type { Edge, References } from '../references.ts';
import { findMissing, namedInRecords, type Scopes, splitPlace } from './check-references.ts';
import type { Holding } from './latches/latches.ts';

type Stored = Readonly<Record<string, unknown>>;

/** Whether the create is stored. Otherwise nothing of it is, and it has to go alone. */
type IsStored = boolean;

type Member = Waiting<Stored, IsStored>;

/** Creates whose references are asked for within the same scopes. */
interface Group {
  readonly scopes: Scopes;
  readonly waiting: Member[];
  /** How many are under way, alone or in a shared transaction. */
  underWay: number;
  /** How many shared transactions are under way. */
  shared: number;
  /** How many creates these transactions have. */
  sharing: number;
  /** Whether a create waits for others that have already arrived with it. */
  isGathering: boolean;
  /** Whether the creates that wait will be sent as soon as the event loop has handled what has already arrived. */
  isNext: boolean;
}

/** The most shared transactions of one group at the same time. Creates that arrive meanwhile share the next one. */
const mostUnderWay = 2;
/** How long a shared transaction waits for a latch, in milliseconds: others would wait with it. */
const patienceMS = 50;

interface Settings {
  readonly model: CompiledModel;
  readonly plain: Pick<ModelCollection, 'insertEach'>;
  readonly edges: readonly Edge[];
  readonly references: References;
  readonly maxTimeMS: number;
}

/**
 * Sends creates with references that hold in one transaction, if they arrive together or while others are under way:
 * their latches, the records that they refer to, the inserts and the commit are one command each. A create whose
 * reference is missing is left out. If the transaction fails, it is not tried again: each of its creates goes alone
 * then. So no create gets the error of another one.
 *
 * A transaction costs nearly the same however many creates share it. So a second one begins beside the first only when
 * as many creates wait as the first one has. Otherwise one create would take every other transaction for itself, while
 * 63 share the rest.
 */
export class SharedCreates {
  readonly #settings: Settings;
  readonly #holding: Holding;
  readonly #write: ReturnType<typeof planCommands>['write'];
  readonly #groups = new Map<string, Group>();

  constructor(settings: Settings) {
    const { model, references, maxTimeMS } = settings;
    const { db, latches } = references;
    this.#settings = settings;
    this.#holding = {
      hold: (parents, work) => latches.hold(parents, work, patienceMS),
      discard: (parents, work) => latches.discard(parents, work),
    };
    this.#write = planCommands(model, db, db.collection(model.collection), maxTimeMS).write;
  }

  /**
   * Stores a record together with others: undefined. If none are under way, or if that has failed, it returns what
   * `alone` does.
   */
  async insert<T>(record: Stored, scopes: Scopes, work: Work, alone: () => Promise<T>): Promise<T | undefined> {
    const key = keyOf(scopes);
    if (key === undefined) return alone();
    const group = this.#groups.get(key) ?? newGroup(scopes);
    this.#groups.set(key, group);
    const isFirst = group.underWay === 0;
    if (isFirst) await this.#count(key, group, () => gather(group));
    const isAlone = isFirst && group.underWay === 0 && group.waiting.length === 0;
    const isStored = !isAlone && (await this.#write(work, (command) => this.#wait(key, group, record, command)));
    return isStored ? undefined : this.#count(key, group, alone);
  }

  /** Counts what is under way. The creates that arrive meanwhile, or when it has just ended, are sent together. */
  async #count<T>(key: string, group: Group, run: () => Promise<T>): Promise<T> {
    group.underWay++;
    try {
      return await run();
    } finally {
      group.underWay--;
      this.#sendSoon(key, group);
    }
  }

  #wait(key: string, group: Group, record: Stored, command: Command): Promise<IsStored> {
    return new Promise((resolve, reject) => {
      const one: Member = { item: record, command, trace: currentTrace.getStore(), resolve, reject };
      command.whenAborted = (reason) => {
        const place = group.waiting.indexOf(one);
        if (place >= 0) group.waiting.splice(place, 1);
        reject(reason);
      };
      group.waiting.push(one);
      this.#sendSoon(key, group);
    });
  }

  #sendSoon(key: string, group: Group): void {
    if (group.isNext) return;
    group.isNext = true;
    setImmediate(() => {
      group.isNext = false;
      this.#sendWaiting(key, group);
    });
  }

  #sendWaiting(key: string, group: Group): void {
    while (mayBegin(group)) {
      const members = takeSome(group.waiting);
      void runFor(members[0]?.trace, () => this.#count(key, group, () => this.#send(members, group)));
    }
    const isUnused = group.waiting.length === 0 && group.underWay === 0;
    if (isUnused && this.#groups.get(key) === group) this.#groups.delete(key);
  }

  async #send(members: readonly Member[], group: Group): Promise<void> {
    group.shared++;
    group.sharing += members.length;
    try {
      const stored = await this.#store(members, group);
      for (const [place, { resolve }] of members.entries()) resolve(stored.has(place));
    } catch (error) {
      const isUnknown = isProblem(error) && error.code === 'write_outcome_unknown';
      for (const { resolve, reject } of members) {
        if (isUnknown) reject(error);
        else resolve(false);
      }
    } finally {
      group.shared--;
      group.sharing -= members.length;
    }
  }

  /**
   * Stores the creates without missing references in one attempt of a transaction. Returns the places of the stored
   * ones.
   */
  async #store(members: readonly Member[], { scopes }: Group): Promise<ReadonlySet<number>> {
    const { plain, edges, references } = this.#settings;
    const work = new Work();
    work.limitTo(Math.min(...members.map(({ command }) => command.timeLeft)));
    const attempt = async (): Promise<ReadonlySet<number>> => {
      const named = namedInRecords(
        edges,
        members.map(({ item }) => item),
        { areOne: false },
      );
      const stored = new Set(members.keys());
      for (const { ids } of await findMissing(named, scopes, this.#holding, work))
        for (const { paths } of ids.values()) for (const path of paths) stored.delete(splitPlace(path).index);
      const records = [...stored].map((place) => (members[place] as Member).item);
      if (records.length > 0) await plain.insertEach(records, work);
      for (const place of stored) members[place]?.command.countHandOver(); // the commit comes next
      return stored;
    };
    return runTransaction(references.db, work, onlyOnce, attempt);
  }
}

/** The time for further attempts of a transaction: none. */
const onlyOnce = 0;

function newGroup(scopes: Scopes): Group {
  return { scopes, waiting: [], underWay: 0, shared: 0, sharing: 0, isGathering: false, isNext: false };
}

/** Waits until the event loop has handled the requests that have already arrived. */
async function gather(group: Group): Promise<void> {
  group.isGathering = true;
  await pause();
  group.isGathering = false;
}

/** Whether the creates that wait are enough for a transaction at this moment. */
function mayBegin({ waiting, shared, sharing, isGathering }: Group): boolean {
  if (isGathering || waiting.length === 0) return false;
  return shared === 0 || (shared < mostUnderWay && waiting.length >= sharing);
}

/** The same text for creates that may share a transaction; undefined for one that cannot share one. */
function keyOf(scopes: Scopes): string | undefined {
  const texts: string[] = [];
  for (const [{ field }, scope] of scopes) {
    if (scope === undefined) return undefined;
    const text = textOf(filterOf(scope));
    if (text === undefined) return undefined;
    texts.push(field.path, text);
  }
  return texts.join('\0');
}

/** As many as one transaction takes. */
function takeSome(waiting: Member[]): Member[] {
  const [first = []] = shares(waiting, roughSizes);
  return waiting.splice(0, first.length);
}
