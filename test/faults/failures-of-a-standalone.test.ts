import { playFailures } from './parts/play-failures.ts';

playFailures('standalone');
