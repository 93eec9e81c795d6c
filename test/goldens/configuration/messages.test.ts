import { expectGolden } from '../../support/golden.ts';
import { describeRows, files } from './texts.ts';

it.each(Object.entries(files))('the messages about wrong %s are what they were', async (file, sections) => {
  await expectGolden(`configuration/${file}.txt`, await describeRows(sections));
});
