import { findProgram, type Program } from './find-program.ts';

/** Chromium, or Chrome, which is as good; and a font: without one a page has no text. */
const chromium: Program = {
  name: 'Chromium',
  variable: 'CHROMIUM_PATH',
  names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
  packages: ['chromium', 'fonts-liberation'],
};

/** Finds the browser of the tests, or installs it. See {@link findProgram}. */
export async function findChromium(): Promise<string> {
  return findProgram(chromium);
}
