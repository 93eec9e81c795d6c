import { compileBlocks } from '../support/docs/compile-blocks.ts';
import { blocksOf, pages } from '../support/docs/pages.ts';

describe('the TypeScript blocks of all pages', () => {
  it('compile strictly, against the sources of the package', async () => {
    expect(pages.flatMap(blocksOf).filter(({ language }) => language === 'ts').length).toBeGreaterThan(50);
    expect(await compileBlocks(pages)).toEqual([]);
  });
});
