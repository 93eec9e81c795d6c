import { users } from './board.ts';

/** Chooses by a seeded generator. */
export class Dice {
  readonly next: () => number;

  constructor(next: () => number) {
    this.next = next;
  }

  below(count: number): number {
    return Math.floor(this.next() * count);
  }

  pick<T>(from: readonly T[]): T {
    return from[this.below(from.length)] as T;
  }

  chance(of: number): boolean {
    return this.next() < of;
  }

  some<T>(from: readonly T[], of = 0.4): T[] {
    return from.filter(() => this.chance(of));
  }
}

/** What a client keeps true, and as whom. */
export interface Watched {
  readonly user: string;
  readonly path: string;
}

/** What clients may write into a query of a resource; each row stands for one parameter. */
interface Language {
  readonly conditions: readonly string[];
  readonly filters: readonly string[];
  readonly sorts: readonly string[];
  readonly fields: readonly string[];
  readonly includes: readonly string[];
  /** Those that name what only leads may see. */
  readonly ofLeads: readonly string[];
}

const languages: Readonly<Record<string, Language>> = {
  tasks: {
    conditions: [
      'status=open',
      'status=done',
      'title[prefix]=T',
      'title[gte]=ti',
      'rank[gte]=3',
      'rank[exists]=true',
      'rank[in]=1,2,3',
      'owner=ann',
      'project[exists]=true',
      'project.name[prefix]=p1',
      'project.team.name=red',
      'tags.name=x',
      'place.city=Ulm',
      'lines.sku=s1',
    ],
    filters: [
      'status = "open" OR rank > 5',
      'NOT exists(rank) OR title = "tIM"',
      'any(lines, sku = "s1")',
      'any(tags, name = "x") OR none(remarks)',
      'any(remarks, text = "r1")',
      'project.name = "P1" OR project.team.name = "RED"',
    ],
    sorts: ['rank', '-rank', 'title', '-title,rank', 'place.city', 'project.name', '-project.team.name'],
    fields: ['title', 'rank', 'status', 'note', 'count', 'place', 'project', 'lines.sku', 'updatedAt'],
    includes: ['project', 'project.team', 'project.taskCount', 'tags', 'remarks'],
    ofLeads: ['secret[prefix]=zq', 'sort=secret', 'place.code[exists]=true', 'deleted=with', 'deleted=only', 'fields=secret,lines'],
  },
  projects: {
    conditions: ['name[prefix]=p', 'team=t1', 'team.name=Red', 'name[lt]=p3'],
    filters: ['any(tasks, status = "open")', 'none(tasks, rank > 3)', 'team.name = "red" OR name = "P1"'],
    sorts: ['name', '-name', 'team.name'],
    fields: ['name', 'team', 'revision'],
    includes: ['team', 'tasks', 'taskCount', 'tasks.tags'],
    ofLeads: ['budget[prefix]=zq', 'sort=-budget', 'deleted=with', 'deleted=only&sort=-deletedAt'],
  },
  teams: {
    conditions: ['name=red', 'name[ne]=RED'],
    filters: ['name = "red"'],
    sorts: ['-name'],
    fields: ['name'],
    includes: ['projects', 'projects.taskCount'],
    ofLeads: [],
  },
  tags: {
    conditions: ['name=x', 'name[in]=x,y'],
    filters: ['any(tasks, status = "open")'],
    sorts: ['-name'],
    fields: ['name'],
    includes: ['tasks'],
    ofLeads: [],
  },
  remarks: {
    conditions: ['text[prefix]=r', 'id[gt]=4', 'task.status=open', 'task[exists]=false'],
    filters: ['task.title = "tim" OR text = "r1"'],
    sorts: ['text', '-id', 'task.rank'],
    fields: ['text', 'task'],
    includes: ['task'],
    ofLeads: ['task.secret[prefix]=zq'],
  },
};

const names = Object.keys(users);

/** A random list or record, and a random user who watches it. Some are equal, so that what they see is shared. */
export function randomWatched(dice: Dice): Watched {
  const user = dice.pick(names);
  const resource = dice.pick(['tasks', 'tasks', 'tasks', 'tasks', 'projects', 'projects', 'teams', 'tags', 'remarks', 'hooked']);
  if (resource !== 'hooked' && dice.chance(0.2))
    return { user, path: `/${resource}/${randomId(dice, resource, user)}?${includeOf(dice, resource)}` };
  if (resource === 'hooked') return { user, path: `/hooked?${dice.pick(['include=project', 'sort=-title', 'limit=2'])}` };
  return { user, path: `/${resource}?${queryOf(dice, resource, user)}` };
}

/** The id of a record that there may be. It begins with its tenant, which never changes; the tags are everybody's. */
export function randomId(dice: Dice, resource: string, user: string): string | number {
  const { tenant, isRoot } = users[user] as (typeof users)[string];
  const whose = isRoot ? dice.pick(['a', 'b']) : tenant;
  if (resource === 'remarks') return dice.below(10) * 2 + (whose === 'a' ? 0 : 1);
  if (resource === 'tags') return `g${dice.below(4)}`;
  if (resource === 'teams') return `${whose}-m${dice.below(3)}`;
  if (resource === 'projects') return `${whose}-p${dice.below(4)}`;
  return `${whose}-t${dice.below(14)}`;
}

function includeOf(dice: Dice, resource: string): string {
  const includes = dice.some((languages[resource] as Language).includes, 0.3);
  return includes.length === 0 ? '' : `include=${includes.join()}`;
}

function queryOf(dice: Dice, resource: string, user: string): string {
  const { conditions, filters, sorts, fields, ofLeads } = languages[resource] as Language;
  const parts = new Map<string, string>();
  const add = (text: string) => {
    for (const part of text.split('&')) {
      const [name = '', value = ''] = part.split('=');
      parts.set(name, encodeURIComponent(value).replaceAll('%2C', ','));
    }
  };
  if (dice.chance(0.5)) add(dice.pick(conditions));
  if (dice.chance(0.3)) parts.set('filter', encodeURIComponent(dice.pick(filters)));
  if (dice.chance(0.5)) add(`sort=${dice.pick(sorts)}`);
  if (dice.chance(0.6)) add(`limit=${1 + dice.below(6)}`);
  const chosen = dice.chance(0.4) ? dice.some(fields) : [];
  if (chosen.length > 0) add(`fields=${chosen.join()}`);
  const include = dice.chance(0.5) ? includeOf(dice, resource) : '';
  if (include !== '') add(include);
  if (users[user]?.isLead && ofLeads.length > 0 && dice.chance(0.4)) add(dice.pick(ofLeads));
  return [...parts].map(([name, value]) => `${name}=${value}`).join('&');
}
