import { linesOf } from './message.ts';
import { apis, ofApis, services } from './rows/apis.ts';
import { computed, markers, names, policies } from './rows/fields.ts';
import { links, references } from './rows/links.ts';
import { middlewares } from './rows/middlewares.ts';
import { indexes, ledgers, models, relations, searches } from './rows/models.ts';
import { products, stores } from './rows/products.ts';
import { operations, resources, together } from './rows/resources.ts';
import { adopted, leaves, schemas } from './rows/schemas.ts';
import type { Rows } from './wrong.ts';

/** The wrong configurations of each golden, by what they are about. */
export const files: Readonly<Record<string, Readonly<Record<string, Rows>>>> = {
  fields: { schemas, 'single values': leaves, 't.from': adopted, names, policies, markers, 't.computed': computed },
  models: { models, indexes, search: searches, 'history and outbox': ledgers, relations },
  resources: { resources, operations, 'several resources': together, references, links },
  apis: { services, apis, 'what an api has and is made of': ofApis, middlewares, stores, products },
};

/** Each wrong configuration with its messages. Fails if one of them is not refused. */
export async function describeRows(sections: Readonly<Record<string, Rows>>): Promise<string> {
  const lines: string[] = [];
  for (const [title, rows] of Object.entries(sections)) {
    lines.push(`# ${title}`, '');
    for (const [name, build] of Object.entries(rows)) lines.push(name, ...(await messagesOf(name, build)));
    lines.push('');
  }
  return lines.join('\n');
}

async function messagesOf(name: string, build: () => unknown): Promise<string[]> {
  const messages = await linesOf(build);
  if (messages.length === 0) throw new Error(`${name} is not refused.`);
  return messages.map((message) => `  ${message.replaceAll('\n', '\n  ')}`);
}
