import { createServer } from 'node:net';
import { expectSoft, expectWith } from '../expect.ts';

// Tests that fail, which test/jest.slow.test.ts runs.

describe('a block whose hook before all tests fails', () => {
  beforeAll(() => {
    throw new Error('no database');
  });
  it('has a test that would pass', () => expect(1).toBe(1));
  describe('and a block', () => {
    it('with another one', () => expect(1).toBe(1));
  });
});

describe('a hook before each test', () => {
  let times = 0;
  beforeEach(() => {
    if (times++ === 0) throw { code: 11000 };
  });
  it('fails the first one', () => expect(1).toBe(1));
  it('passes the second one', () => expect(1).toBe(1));
});

it('asserts nothing', () => undefined);
it('takes too long', () => new Promise((resolve) => setTimeout(resolve, 1_000, expect(1).toBe(1))), 20);
it.each([[1, 2], [1]])('has a row of %j', (_one: number, two?: unknown) => expect(typeof two).not.toBe('function'));
it('says which case has failed', () => expectWith(1, 'the case').toBe(2));
it('says it of what is awaited', () => expectWith(Promise.reject(new Error('a')), 'the case').rejects.toThrow('b'));
it('goes on after a soft failure', () => {
  expectSoft(1, 'the first').toBe(2);
  expectSoft(1).not.toBe(1);
  expectWith(1, 'the last').toBe(3);
});

describe('hooks that run afterwards', () => {
  const order: string[] = [];
  afterEach(() => void order.push('first'));
  // biome-ignore lint/suspicious/noDuplicateTestHooks: it is about their order
  afterEach(() => void order.push('second'));
  it('run after a test', () => expect(order).toEqual([]));
  it('begin with the last one', () => expect(order).toEqual(['second', 'first']));
});

it('leaves a server open', () => expect(createServer().listen(0).listening).toBe(true));
