import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/docs/pages.ts';

/** The files that npm packs, but those of a build, and the folders above them. */
let files: string[];
let places: Set<string>;
beforeAll(() => {
  const said = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ files: packed }] = JSON.parse(said) as [{ files: { path: string }[] }];
  files = packed.map(({ path }) => path).filter((path) => !path.startsWith('dist/'));
  places = new Set(files.flatMap((path) => path.split('/').map((_name, index, names) => names.slice(0, index + 1).join('/'))));
});

const read = (path: string) => readFileSync(join(root, path), 'utf8');
/** Without what only the tests read: the setups of code blocks, and which test compiles them. */
const readShown = (path: string) => read(path).replaceAll(/<!--[\s\S]*?-->/g, '');
const isText = (path: string) => /\.(?:md|ts|tsx|json|html|svg)$/.test(path) || path === 'LICENSE';

describe('somebody who has only the package', () => {
  it('finds in it what every relative link of a page leads to, but pictures, beside which stands what they show', () => {
    const pages = files.filter((path) => path.endsWith('.md'));
    expect(pages.length).toBeGreaterThan(80);
    const links = pages.flatMap((page) =>
      Array.from(
        read(page)
          .replaceAll(/^ *```[\s\S]*?^ *```/gm, '')
          .matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g),
        ([, href = '']) => ({ page, href }),
      ),
    );
    const isPicture = ({ href }: { readonly href: string }) => href.endsWith('.png');
    expect(links.filter(isPicture).length).toBeGreaterThan(3);
    const dead = links.filter(
      (link) => !/^[a-z]+:/.test(link.href) && !isPicture(link) && !places.has(join(link.page, '..', link.href).replace(/\/$/, '')),
    );
    expect(dead).toEqual([]);
  });

  it('finds in it each of the examples that pages, comments and messages name', () => {
    const mentions = files
      .filter(isText)
      .flatMap((file) =>
        Array.from(readShown(file).matchAll(/(?<![\w/.-]|node_modules\/)examples\/[\w./-]*[\w/]/g), ([path]) => ({ file, path })),
      );
    expect(mentions.length).toBeGreaterThan(20);
    expect(mentions.filter(({ path }) => !places.has(path.replace(/\/$/, '')))).toEqual([]);
  });

  it('has all files that the examples import from each other', () => {
    // Those of typed clients import what a generator writes: `test/clients/` compiles them with it.
    const imports = files
      .filter((path) => /^examples\/(?!clients\/).*\.tsx?$/.test(path))
      .flatMap((file) => Array.from(read(file).matchAll(/from '(\.[^']*)'/g), ([, path = '']) => ({ file, path })));
    expect(imports.length).toBeGreaterThan(30);
    expect(imports.filter(({ file, path }) => !places.has(join(file, '..', path)))).toEqual([]);
  });
});
