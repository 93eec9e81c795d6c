import { lint } from './lint.ts';

const ours = 'plugin';
const typed = 'lint/nursery/noFloatingPromises';

/** A middleware as the house writes it: `next` has its type from the factory's return type only. */
const middleware = (line: string) => `
import type Koa from 'koa';
export function guards(condition: boolean): Koa.Middleware {
  return async function guards(ctx, next) {
    if (condition) ctx.status = 204;
    ${line}
  };
}
`;

const forgotten: [string, string[]][] = [
  ['next();', [ours]],
  ['if (condition) next();', [ours]],
  ['condition && next();', [ours]],
  ['ctx.body = condition ? next() : null;', [ours]],
  ['try { next(); } finally { ctx.body = null; }', [ours]],
];
const right = [
  'await next();',
  'return next();',
  'if (condition) return next();',
  'await Promise.all([next()]);',
  'const done = next(); await done;',
];

describe('next()', () => {
  let found = new Map<string, string[]>();
  const file = (number: number) => `src/middleware/forgotten-${number}.ts`;
  const rightFile = (number: number) => `src/middleware/right-${number}.ts`;
  const promises = ['noFloatingPromises', ours, typed];
  beforeAll(async () => {
    found = await lint({
      ...Object.fromEntries(forgotten.map(([line], number) => [file(number), middleware(line)])),
      ...Object.fromEntries(right.map((line, number) => [rightFile(number), middleware(line)])),
      'src/middleware/typed.ts': 'export async function a(next: () => Promise<void>) {\n  next();\n}\n',
      'src/mongo/other-promise.ts': 'async function load(): Promise<number> {\n  return 1;\n}\nexport function a() {\n  load();\n}\n',
      'examples/app.ts': middleware('next();'),
    });
  });
  const rulesOf = (path: string) => (found.get(path) ?? []).filter((name) => promises.includes(name));

  it.each(forgotten.map(([line, rules], number) => [line, rules, number] as const))('is an error as `%s`', (_line, rules, number) => {
    expect(rulesOf(file(number))).toEqual(rules);
  });

  it.each(right.map((line, number) => [line, number] as const))('is right as `%s`', (_line, number) => {
    expect(rulesOf(rightFile(number))).toEqual([]);
  });

  it('is found in examples too', () => {
    expect(rulesOf('examples/app.ts')).toEqual([ours]);
  });

  it('is found by its type as well where the type is written', () => {
    expect(rulesOf('src/middleware/typed.ts').sort()).toEqual([typed, ours]);
  });

  it('is not the only promise that must be awaited', () => {
    expect(rulesOf('src/mongo/other-promise.ts')).toEqual([typed]);
  });
});
