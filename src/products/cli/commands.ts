import type { Command } from './command.ts';
import { audit } from './commands/audit.ts';
import { check } from './commands/check.ts';
import { diagram } from './commands/diagram.ts';
import { draft } from './commands/draft.ts';
import { events } from './commands/events.ts';
import { indexes } from './commands/indexes.ts';
import { mcp } from './commands/mcp.ts';
import { openapi } from './commands/openapi.ts';

/** The commands, in the order of the help. */
export const commands: ReadonlyMap<string, Command> = new Map(
  Object.entries({ check, openapi, diagram, draft, indexes, audit, events, mcp }),
);
