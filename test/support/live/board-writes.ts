import type { Db } from 'mongodb';
import { type Api, Problem } from '../../../src/index.ts';
import type { Any } from '../any.ts';
import { send } from '../http/serve.ts';
import { canary, type MemberRecord, Project, Remark, Tag, Task, Team, users } from './board.ts';
import { type Dice, randomId } from './board-queries.ts';

const models: Readonly<Record<string, Any>> = { teams: Team, projects: Project, tags: Tag, tasks: Task, remarks: Remark };

/** Random writes of all kinds, over HTTP on behalf of random users, and by the stores of an application. */
export class BoardWriter {
  readonly #dice: Dice;
  readonly #ports: readonly number[];
  readonly #api: Pick<Api, 'store' | 'transaction'>;
  /** How often what was done with which status. */
  readonly done = new Map<string, number>();

  constructor(dice: Dice, ports: readonly number[], api: Pick<Api, 'store' | 'transaction'>) {
    this.#dice = dice;
    this.#ports = ports;
    this.#api = api;
  }

  /** Fills the board. */
  async fill(): Promise<void> {
    for (const tenant of ['a', 'b']) {
      const ofTenant = (names: readonly string[]) => names.map((id) => ({ id: `${tenant}-${id}`, tenant }));
      await this.#create(
        'teams',
        ofTenant(['m0', 'm1', 'm2']).map((one) => ({ ...one, ...this.#bodyOf('teams', tenant) })),
      );
      await this.#create(
        'projects',
        ofTenant(['p0', 'p1', 'p2', 'p3']).map((one) => ({ ...one, ...this.#bodyOf('projects', tenant) })),
      );
    }
    await this.#create(
      'tags',
      ['g0', 'g1', 'g2', 'g3'].map((id) => ({ id, ...this.#bodyOf('tags', 'a') })),
    );
    for (const tenant of ['a', 'b']) {
      const ids = Array.from({ length: 10 }, (_, at) => `${tenant}-t${at}`);
      await this.#create(
        'tasks',
        ids.map((id) => ({ id, tenant, ...this.#bodyOf('tasks', tenant) })),
      );
      const numbers = Array.from({ length: 6 }, (_, at) => at * 2 + (tenant === 'a' ? 0 : 1));
      await this.#create(
        'remarks',
        numbers.map((id) => ({ id, tenant, ...this.#bodyOf('remarks', tenant) })),
      );
    }
  }

  /** One random write, in one step of the database if it must be. What is refused is no failure, but a 500 is one. */
  async write({ isAtomic = false } = {}): Promise<void> {
    await (this.#dice.chance(0.7) ? this.#byHttp() : this.#byStore(isAtomic));
  }

  /** Changes what a random user may see, whose streams then ask again. */
  async changeRights(db: Db): Promise<void> {
    const dice = this.#dice;
    const rights = dice.pick([{}, {}, { owner: dice.pick(['ann', 'ben']) }, { isLead: false }, { isRoot: false }, { isOut: true }]);
    const user = dice.pick(Object.keys(users));
    await db.collection<MemberRecord>('members').replaceOne({ _id: user }, rights, { upsert: true });
  }

  async #create(resource: string, records: readonly object[]): Promise<void> {
    for (const { error } of await this.#storeOf(resource).createMany(records)) if (error) throw error;
  }

  /** The id of a record that the write may succeed for, mostly. */
  async #idFor(kind: string, resource: string, user: string): Promise<string | number> {
    const dice = this.#dice;
    const isSoft = resource === 'tasks' || resource === 'projects';
    const deleted = kind === 'restore' && isSoft ? 'only' : kind.startsWith('create') && isSoft ? 'with' : undefined;
    const found = await this.#storeOf(resource).find({}, { ...(deleted && { deleted }) });
    const ids = new Set(found.map((one: Any) => one.id));
    for (let tries = 0; tries < 8; tries++) {
      const id = randomId(dice, resource, user);
      if (kind.startsWith('create') !== ids.has(id)) return id;
    }
    return randomId(dice, resource, user);
  }

  #storeOf(resource: string): Any {
    return this.#api.store(models[resource]);
  }

  async #byHttp(): Promise<void> {
    const dice = this.#dice;
    const user = dice.pick(Object.keys(users));
    const { tenant, isLead = false } = users[user] as (typeof users)[string];
    const resource = dice.pick(['tasks', 'tasks', 'tasks', 'projects', 'teams', 'tags', 'remarks']);
    const kind = dice.pick([
      'create',
      'create',
      'create',
      'patch',
      'patch',
      'patch',
      'put',
      'delete',
      'restore',
      'restore',
      'patchMany',
      'deleteMany',
      'batch',
      'link',
    ]);
    const id = await this.#idFor(kind, resource, user);
    const path = `/${resource}/${id}`;
    // Root writes into both tenants, and must not lead one to the other.
    const whose = String(id).startsWith('b-') || (resource === 'remarks' && Number(id) % 2 === 1) ? 'b' : tenant;
    const body = () => this.#bodyOf(resource, whose, isLead);
    const isOther = whose !== tenant; // what root creates is of its own tenant
    switch (kind) {
      case 'create':
        if (isOther) return;
        return this.#send(kind, user, 'POST', `/${resource}`, { id, ...body() });
      case 'patch':
        return this.#send(kind, user, 'PATCH', path, this.#part(body()));
      case 'put':
        return this.#send(kind, user, 'PUT', path, body());
      case 'delete':
        return this.#send(kind, user, 'DELETE', path);
      case 'restore':
        return this.#send(
          kind,
          user,
          'POST',
          `${resource === 'projects' ? path : `/tasks/${await this.#idFor(kind, 'tasks', user)}`}/restore`,
        );
      case 'patchMany':
        return this.#send(kind, user, 'PATCH', `/tasks?rank=${dice.below(8)}`, {
          note: `n${dice.below(9)}`,
          status: dice.pick(['open', 'done']),
        });
      case 'deleteMany':
        return this.#send(kind, user, 'DELETE', dice.pick(['/tasks?rank=7', '/remarks?text=r0&id[lt]=4', '/projects?name=p9']));
      case 'batch': {
        const [patched, removed] = [await this.#idFor(kind, 'tasks', user), await this.#idFor(kind, 'tasks', user)];
        const operations = [
          { method: 'PATCH', path: `/tasks/${patched}`, body: { note: `b${dice.below(9)}` } },
          { method: 'DELETE', path: `/tasks/${removed}` },
        ];
        return this.#send(kind, user, 'POST', '/batch', { operations });
      }
      default: {
        const link = `/tasks/${await this.#idFor(kind, 'tasks', user)}/tags/g${dice.below(4)}`;
        return this.#send(kind, user, dice.pick(['PUT', 'DELETE']), link);
      }
    }
  }

  async #byStore(isAtomic: boolean): Promise<void> {
    const dice = this.#dice;
    const tenant = dice.pick(['a', 'b']);
    const resource = dice.pick(['tasks', 'tasks', 'tasks', 'projects', 'remarks', 'tags']);
    const user = tenant === 'a' ? 'amy' : 'bea';
    const store = this.#storeOf(resource);
    const kinds = [
      'update',
      'update',
      'create',
      'createMany',
      'remove',
      'restore',
      'updateMany',
      'removeMany',
      'purge',
      'count',
      'transaction',
    ];
    const kind = dice.pick(isAtomic ? kinds.filter((one) => one !== 'createMany' && one !== 'purge') : kinds);
    const id = await this.#idFor(kind, resource, user);
    const task = await this.#idFor(kind, 'tasks', user);
    const whole = (one: string | number) => ({ id: one, ...(resource !== 'tags' && { tenant }), ...this.#bodyOf(resource, tenant) });
    const acts: Readonly<Record<string, () => Promise<unknown>>> = {
      update: () => store.update(id, this.#part(this.#bodyOf(resource, tenant))),
      create: () => store.create(whole(id)),
      createMany: () => store.createMany([whole(id), whole(randomId(dice, resource, user))]),
      remove: () => store.remove(id),
      restore: async () => this.#storeOf('projects').restore(await this.#idFor(kind, 'projects', user)),
      updateMany: () => this.#storeOf('tasks').updateMany({ tenant, rank: { gte: 6 } }, { owner: dice.pick(['ann', 'bob', 'ben']) }),
      removeMany: () => this.#storeOf('remarks').removeMany({ tenant, text: 'r1', id: { lt: 6 } }),
      purge: () => this.#storeOf('tasks').purge({ olderThan: 0 }),
      count: async () => {
        const loaded = await this.#storeOf('tasks').get(task);
        loaded.count++;
        await this.#storeOf('tasks').save(loaded);
      },
      transaction: () =>
        this.#api.transaction(async (tx: Any) => {
          await tx.store(Task).update(task, { rank: dice.below(9) });
          await tx.store(Tag).update(`g${dice.below(4)}`, this.#bodyOf('tags', tenant));
        }),
    };
    let status = 200;
    try {
      await acts[kind]?.();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      ({ status } = error);
    }
    this.#note(`store.${kind}`, status);
  }

  async #send(kind: string, user: string, method: string, path: string, body?: object): Promise<void> {
    const port = this.#dice.pick(this.#ports);
    const { status, text } = await send(port, method, path, { headers: { authorization: user }, ...(body && { body }) });
    if (status >= 500) throw new Error(`${method} ${path} ${JSON.stringify(body)}: ${status} ${text}`);
    this.#note(kind, status);
  }

  #note(kind: string, status: number): void {
    const key = `${kind} ${status < 300 ? 'done' : 'refused'}`;
    this.done.set(key, (this.done.get(key) ?? 0) + 1);
  }

  #part(body: object): object {
    const names = Object.keys(body);
    const kept = new Set([this.#dice.pick(names), this.#dice.pick(names)]);
    return Object.fromEntries(Object.entries(body).filter(([name]) => kept.has(name)));
  }

  /** What stands in a record: every text of the tenant b says so, and every secret is a canary. */
  #bodyOf(resource: string, tenant: string, isLead = true): Record<string, unknown> {
    const dice = this.#dice;
    const secret = `${canary}${dice.below(3)}`;
    const ofLeads = (name: string) => (isLead ? { [name]: secret } : {});
    const foreign = tenant === 'b' ? '-zqb' : '';
    switch (resource) {
      case 'teams':
        return { name: dice.pick(['red', 'Red', 'RED', 'blue']) };
      case 'projects':
        return {
          name: dice.pick(['p1', 'P1', 'p2', 'P3']),
          ...ofLeads('budget'),
          team: dice.chance(0.2) ? null : `${tenant}-m${dice.below(3)}`,
        };
      case 'tags':
        return { name: dice.pick(['x', 'y']) };
      case 'remarks':
        return { text: dice.pick(['r0', 'r1', 'r2']), task: dice.chance(0.2) ? null : `${tenant}-t${dice.below(10)}` };
      default:
        return {
          owner: dice.pick(tenant === 'a' ? ['ann', 'bob'] : ['ben', 'bud']),
          title: dice.pick(['tim', 'Tim', 'TIM', 'tom', 'Zoë']),
          rank: dice.chance(0.2) ? null : dice.below(8),
          status: dice.pick(['open', 'done']),
          place: dice.chance(0.3) ? null : { city: dice.pick(['Ulm', 'Rom']), ...ofLeads('code') },
          lines: Array.from({ length: dice.below(3) }, () => ({ sku: `s${dice.below(3)}`, ...ofLeads('cost') })),
          note: `n${dice.below(9)}${foreign}`,
          ...ofLeads('secret'),
          project: dice.chance(0.2) ? null : `${tenant}-p${dice.below(4)}`,
          tagIds: [...new Set([`g${dice.below(4)}`, `g${dice.below(4)}`])].slice(dice.below(2)),
        };
    }
  }
}
