/**
 * A process of its own for the test of concurrent installations:
 * `install-fake-wheel.ts <cache> <wheel as JSON> <its folder>`.
 */
import { installWheel } from '../../../dev/wheel.ts';
import { fetchFrom } from './fake-wheel.ts';

const [cache = '', wheel = '', folder = ''] = process.argv.slice(2);
process.stdout.write(await installWheel(cache, () => {}, JSON.parse(wheel), fetchFrom(folder)));
