import { ModernFakeTimers } from '@jest/fake-timers';

// jest-light-runner gives `jest` four functions of the false clock, and those take no options.

const timers = new ModernFakeTimers({ config: { rootDir: '', testMatch: [], fakeTimers: {} } as never, global: globalThis });

Object.assign(jest, {
  useFakeTimers: timers.useFakeTimers.bind(timers),
  useRealTimers: timers.useRealTimers.bind(timers),
  setSystemTime: timers.setSystemTime.bind(timers),
  getTimerCount: timers.getTimerCount.bind(timers),
  advanceTimersByTime: timers.advanceTimersByTime.bind(timers),
  advanceTimersByTimeAsync: timers.advanceTimersByTimeAsync.bind(timers),
  advanceTimersToNextTimerAsync: timers.advanceTimersToNextTimerAsync.bind(timers),
});
