import type { SettingKind } from '../../http/query-body.ts';
import { Invalid } from '../../rules.ts';
import type { Paging } from './parse-paging.ts';

/** How a list is answered: by pages, whole, or by its first page alone, which counts nothing. */
type ListForm = 'pages' | 'whole' | 'first';

/** What lists have a setting. */
interface ListSetting {
  /** What it is in a body. `texts` may be given several times, and add up. */
  readonly kind: SettingKind;
  readonly forms: readonly ListForm[];
  /** Whether lists like this one have it. @default all have it */
  isIn?(list: SettingRules): boolean;
}

/** What decides which settings a list has. */
export interface SettingRules {
  readonly paging: Pick<Paging, 'mode'>;
  readonly selector: object | undefined;
  readonly includes: { readonly names: readonly string[] };
  /** Whether the list is answered whole, without pages. @default false */
  readonly isWhole?: boolean;
  /** Whether its first page is kept true. @default false */
  readonly isLive?: boolean;
}

const isByCursor = ({ paging }: SettingRules) => paging.mode === 'cursor';

/** The parameters of lists that are no filters. By `after`, a list that is answered whole goes on where it was cut. */
const table = {
  limit: { kind: 'number', forms: ['pages', 'first'] },
  sort: { kind: 'texts', forms: ['pages', 'whole', 'first'] },
  after: { kind: 'text', forms: ['pages', 'whole'], isIn: isByCursor },
  before: { kind: 'text', forms: ['pages'], isIn: isByCursor },
  page: { kind: 'number', forms: ['pages'], isIn: (list) => !isByCursor(list) },
  include: { kind: 'texts', forms: ['pages', 'first'], isIn: ({ includes }) => includes.names.length > 0 },
  total: { kind: 'flag', forms: ['pages'] },
  fields: { kind: 'texts', forms: ['pages', 'whole', 'first'], isIn: ({ selector }) => selector !== undefined },
  filter: { kind: 'text', forms: ['pages', 'whole', 'first'] },
} as const satisfies Readonly<Record<string, ListSetting>>;

/** The name of a setting. No filterable field may have such a name. */
export type SettingName = keyof typeof table;

const settings: Readonly<Record<SettingName, ListSetting>> = table;

/** The settings of lists, in the order in which messages name them. */
export const settingNames = Object.keys(table) as readonly SettingName[];

/** What the settings are in a body. */
export const settingKinds: ReadonlyMap<string, SettingKind> = new Map(settingNames.map((name) => [name, settings[name].kind]));

export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settings, name);
}

/** Whether a setting may be given several times. */
export function addsUp(name: SettingName): boolean {
  return settings[name].kind === 'texts';
}

/** The settings that a list has. */
export function settingsOf(list: SettingRules): SettingName[] {
  return settingNames.filter((name) => settings[name].forms.includes(formOf(list)) && (settings[name].isIn?.(list) ?? true));
}

/** Why lists of this form do not have a setting. Undefined if they do. */
export function refusalIn(list: SettingRules, name: SettingName): Invalid | undefined {
  const form = formOf(list);
  return settings[name].forms.includes(form) ? undefined : form === 'whole' ? notForWhole : notForFirst;
}

function formOf({ isWhole, isLive }: SettingRules): ListForm {
  if (isWhole) return 'whole';
  return isLive ? 'first' : 'pages';
}

const notForFirst = new Invalid('not_available', 'is not available in a live list, which is its first page');
export const notForWhole = new Invalid('not_available', 'is not available when the list is exported whole');
