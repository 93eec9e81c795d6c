import { type Api, defineModel, service, t } from '../../../src/index.ts';
import { type TestDatabase, useDatabase } from '../../support/database/database.ts';
import { canary, seed, viewsApi } from '../../support/models/views.ts';
import { connect } from './connect.ts';

const ruled = useDatabase();
const plain = useDatabase();
let withRules: Api<never>;
let without: Api<never>;

beforeAll(() => {
  withRules = viewsApi(ruled, true) as Api<never>;
  without = viewsApi(plain, false) as Api<never>;
});

beforeEach(async () => {
  await seed(ruled, true);
  await seed(plain, false);
});

const open = async (api: Api<never>, authorization: string, write = true) =>
  (await connect(api, { headers: { authorization }, write })).client;

describe('the tools of an api with rules', () => {
  it('are for a caller for whom no rule holds those of an api without the fields', async () => {
    const [seen, expected] = await Promise.all([open(withRules, 'anna', false), open(without, 'anna', false)]);
    expect(await seen.listTools()).toEqual(await expected.listTools());
    // Those that write differ in one thing: an object that holds what the caller cannot see is not set to null.
    const names = (tools: object) => JSON.stringify(tools).match(/"[A-Za-z_.]+":/g);
    const [all, allWithout] = await Promise.all([open(withRules, 'anna'), open(without, 'anna')]);
    expect(new Set(names(await all.listTools()))).toEqual(new Set(names(await allWithout.listTools())));
  });

  it('have the fields of the rules that hold', async () => {
    const describedTo = async (authorization: string) => JSON.stringify(await (await open(withRules, authorization)).listTools());
    expect(await describedTo('staff')).toContain('secret');
    expect(await describedTo('finance')).toMatch(/margin/);
    expect(await describedTo('finance')).not.toMatch(/secret|chief|customers_led/);
    expect(await describedTo('staff')).not.toContain('x-visible-to');
  });

  it('show what their caller sees, and refuse a tool that it does not know', async () => {
    const call = async (authorization: string, name: string, given: Record<string, unknown>) =>
      JSON.stringify(await (await open(withRules, authorization)).callTool({ name, arguments: given }));
    expect(await call('anna', 'orders_get', { id: 'o1' })).not.toContain(canary);
    expect(await call('staff', 'orders_get', { id: 'o1' })).toContain(canary);
    expect(await call('anna', 'customers_led_list', { id: 'c2' })).toContain('There is no tool `customers_led_list`');
    expect(await call('staff', 'customers_led_list', { id: 'c2' })).toContain(canary);
  });
});

describe('what a caller does not know', () => {
  const staff = { read: 'staff' } as const;
  /** Names of operations are those of tools once their dots are gone: `led.list` wants the name of `led_list`. */
  function makeApi({ db }: TestDatabase, hasHidden: boolean): Api<never> {
    const hidden = (fields: object) => (hasHidden ? fields : {});
    const id = t.string();
    const Boss = defineModel('Boss', { collection: 'bosses', fields: { id, ...hidden({ led: t.hasMany('Order', { via: 'boss' }) }) } });
    const boss = t.optional(t.ref('Boss', { id: t.string(), policy: staff }));
    const Order = defineModel('Order', { collection: 'orders', fields: { id, ...hidden({ boss }) } });
    const shop = service({ authenticate: () => 'ann', ...(hasHidden && { rules: { staff: () => false } }) });
    const operations = { led_list: { summary: 'List', handler: () => undefined } };
    const nested = hidden({ nested: ['led'] });
    const resources = [
      shop.resource({ model: Boss, ops: ['get'], operations, ...nested } as never),
      shop.resource({ model: Order, ops: ['list'] }),
    ];
    return shop.api({ db, resources, title: 'Shop' }) as never;
  }
  const operations = ['bosses.get', 'bosses.led_list'];

  it('changes neither the names of its tools nor the instructions', async () => {
    const options = (more: readonly string[] = []) => ({ write: true, operations: [...operations, ...more] });
    const [seen, expected] = [
      await connect(makeApi(ruled, true), options(['bosses.led.list'])),
      await connect(makeApi(plain, false), options()),
    ];
    expect(await seen.names()).toEqual(['bosses_get', 'bosses_led_list']);
    expect(await seen.client.listTools()).toEqual(await expected.client.listTools());
    expect(seen.client.getInstructions()).toBe(expected.client.getInstructions());
  });
});
