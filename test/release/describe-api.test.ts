import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describeApi } from '../../release/describe-api.ts';
import { useTemporaryFolder } from '../support/temporary-folder.ts';

const files = {
  'package.json': JSON.stringify({
    name: 'shop',
    exports: { './own': { types: './dist/own.d.ts' }, '.': { types: './dist/index.d.ts' }, './package.json': './package.json' },
  }),
  'dist/index.d.ts': `import type { Context } from 'koa';
import type { Hidden } from './hidden.ts';
/**
 * Opens the shop.
 *
 * @deprecated since 1.2, by
 *   \`run\`
 * @example
 * open();
 */
export declare function open(hours: Hidden): void;
export declare function open(ctx: Context, hours?: Hidden): void;
export declare const zone: "A" | "B";
/** How it is open. */
export interface Options {
    /** Since when. @default 9 */
    readonly since?: number;

    /** Until when. */
    readonly until?: import('./hidden.ts').Hour;
}
declare class Inner {
}
export { Inner as Shop };
export { ObjectId } from 'mongodb';
`,
  'dist/hidden.d.ts': `export interface Hidden extends Deeper {
}
interface Deeper {
    readonly hour: Hour;
}
export type Hour = number;
export interface Unseen {
}
`,
  'dist/own.d.ts': `export { open as opening } from './index.ts';
export { Hidden } from './hidden.ts';
export declare function close(by: Deeper): void;
declare enum Deeper {
}
`,
};

const folder = useTemporaryFolder();

it('each declaration stands in the first entry point that has it, without its comments, and with what it needs', async () => {
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder.path, path)), { recursive: true });
    await writeFile(join(folder.path, path), text);
  }
  const described = describeApi(folder.path);
  expect([...described.keys()]).toEqual(['shop', 'shop/own']);
  expect(described.get('shop')).toBe(`export interface Options {
    /** @default 9 */
    readonly since?: number;
    readonly until?: import('./hidden.ts').Hour;
}
export class Inner {
}
export { Inner as Shop };
/** @deprecated since 1.2, by \`run\` */
export function open(hours: Hidden): void;
export function open(ctx: Context, hours?: Hidden): void;
export const zone: "A" | "B";
export { ObjectId } from 'another package';
// Not exported, but part of the declarations above.
interface Deeper {
    readonly hour: Hour;
}
interface Hidden extends Deeper {
}
type Hour = number;
`);
  expect(described.get('shop/own')).toBe(`export function close(by: Deeper): void;
export { Hidden, open as opening } from 'shop';
// Not exported, but part of the declarations above.
enum Deeper {
}
`);
});

it('asks for a build where there is none', async () => {
  await writeFile(join(folder.path, 'package.json'), files['package.json']);
  expect(() => describeApi(folder.path)).toThrow('index.d.ts exports nothing: build the package.');
});
