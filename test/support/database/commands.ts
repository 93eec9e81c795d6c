import type { CommandStartedEvent } from 'mongodb';
import type { TestDatabase } from './database.ts';

/**
 * The names of the commands that went to the database since the test began; the database needs `monitorCommands: true`.
 */
export function useCommands(database: TestDatabase): {
  readonly names: readonly string[];
  readonly events: readonly CommandStartedEvent[];
  clear(): void;
} {
  let events: CommandStartedEvent[] = [];
  let isListening = false;
  beforeEach(() => {
    if (!isListening) database.client.on('commandStarted', (event) => events.push(event));
    isListening = true;
    events = [];
  });
  return {
    get names() {
      return events.map((event) => event.commandName);
    },
    get events() {
      return events;
    },
    clear() {
      events = [];
    },
  };
}
