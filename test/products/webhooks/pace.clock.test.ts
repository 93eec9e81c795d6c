import { Pace } from '../../../src/products/webhooks/pace.ts';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
});
afterEach(() => {
  jest.useRealTimers();
});

/** Two requests to a receiver at a time, and pauses of a second or more. */
const makePace = () => new Pace(2, 1_000, 300_000);

/** Begins a request that nothing stands against, and returns its end. */
function beginOne(pace: Pace) {
  const turn = pace.begin('a');
  if ('wait' in turn) throw new Error(`It has to wait for ${turn.wait} ms.`);
  return turn.end;
}

/** How long so many others have to wait, in milliseconds. */
const waitsOf = (pace: Pace, count: number) =>
  Array.from({ length: count }, () => {
    const turn = pace.begin('a');
    return 'wait' in turn ? Math.round(turn.wait) : 0;
  });

describe('those who wait for a receiver', () => {
  it.each([
    ['a fast one', 4, [2, 4, 6]],
    ['an ordinary one', 30, [15, 30, 45]],
    ['a slow one, as often as every 50 ms', 5_000, [50, 100, 150]],
  ])('come as fast as it takes them: %s', (_what, ms, waits) => {
    const pace = makePace();
    const end = beginOne(pace);
    beginOne(pace);
    jest.advanceTimersByTime(ms);
    end({ isDown: false });
    beginOne(pace);
    expect(waitsOf(pace, 3)).toEqual(waits);
  });

  it('are farther apart the longer its first answer takes', () => {
    const pace = makePace();
    beginOne(pace);
    beginOne(pace);
    expect(waitsOf(pace, 2)).toEqual([1, 2]);
    jest.advanceTimersByTime(60);
    expect(waitsOf(pace, 2)).toEqual([30, 60]);
  });

  it.each([2, 100])('come 50 ms apart when its pause is over, after an error within %i ms', (ms) => {
    const pace = makePace();
    const end = beginOne(pace);
    jest.advanceTimersByTime(ms);
    end({ isDown: true });
    const [first = 0, second = 0] = waitsOf(pace, 2);
    expect(first).toBeGreaterThanOrEqual(500); // a half of the first pause at least
    expect(second - first).toBe(50);
    jest.advanceTimersByTime(2_000); // longer than the pause, and than the last who waited
    beginOne(pace);
    beginOne(pace);
    expect(waitsOf(pace, 2)).toEqual([1, 2]); // an error does not say how fast it answers
  });
});
