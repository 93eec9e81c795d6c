import { expectGolden } from '../support/golden.ts';

describe('expectGolden()', () => {
  const { GOLDENS } = process.env;
  beforeEach(() => {
    delete process.env.GOLDENS;
  });
  afterEach(() => {
    if (GOLDENS !== undefined) process.env.GOLDENS = GOLDENS;
  });

  it('fails where the file has other lines or is missing, and says how to write it', async () => {
    await expect(expectGolden('no/such.txt', 'a line')).rejects.toThrow(/no\/such\.txt has something else\. .*GOLDENS=write.*a line/s);
  });
});
