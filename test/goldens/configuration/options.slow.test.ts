import { expectGolden } from '../../support/golden.ts';
import { answersOf, optionsOf } from './options.ts';
import { placesOfRefusals, reachedIn } from './places.ts';
import { takers } from './takers.ts';
import { describeRows, files } from './texts.ts';

let answers: readonly string[];
let reached: ReadonlySet<string>;

beforeAll(async () => {
  reached = await reachedIn(async () => {
    for (const sections of Object.values(files)) await describeRows(sections);
    answers = await allAnswers();
  });
}, 300_000);

async function allAnswers(): Promise<string[]> {
  const lines: string[] = [];
  for (const [name, taker] of Object.entries(takers)) {
    const other = taker.beside === undefined ? undefined : takers[taker.beside];
    lines.push(...(await answersOf(name, taker, other && (await optionsOf(other)))), '');
  }
  return lines;
}

it('every option answers values of every type as it did', async () => {
  await expectGolden('configuration/options.txt', answers.join('\n'));
});

it('every place that refuses a configuration is reached by a row or an option', () => {
  expect(placesOfRefusals().filter((place) => !reached.has(place))).toEqual([]);
});
