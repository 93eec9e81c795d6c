import { cpus, totalmem } from 'node:os';
import type { BurstRatio } from './bursts.ts';
import type { Growth } from './growth/table.ts';
import type { Figure, Sample, Task } from './measure.ts';
import type { Held } from './memory.ts';
import { writeGrowth } from './report-growth.ts';
import type { StartUp } from './starts.ts';
import { median, ratios, spread } from './statistics.ts';

/** The samples of one contestant, in the order of the rounds. */
export interface Measured {
  readonly name: string;
  readonly title: string;
  readonly samples: readonly Sample[];
}

/** A task, and what was measured of each contestant. */
export interface Compared {
  readonly task: Task;
  readonly rows: readonly Measured[];
}

interface Circumstances {
  readonly mongodb: string;
  readonly rounds: number;
  readonly seconds: number;
  /** How many processes served both sides of the bursts. */
  readonly processes: number;
}

/** Everything that the page shows. */
export interface Results {
  readonly compared: readonly Compared[];
  /** The library beside Koa by hand. */
  readonly bursts: readonly BurstRatio[];
  /** By what grows. */
  readonly grown: ReadonlyMap<string, readonly Compared[]>;
  readonly starts: ReadonlyMap<string, StartUp>;
  /** Empty where it was never measured. */
  readonly held: readonly Held[];
  /** Empty where it was never measured. */
  readonly growths: readonly Growth[];
}

/** `docs/about/performance.md`. */
export function writeReport({ compared: main, bursts, grown, starts, held, growths }: Results, circumstances: Circumstances): string {
  return `---
description: "What a request costs, measured beside hand-written Koa, Feathers and others: CPU time, latency and memory."
---

<!-- Written by \`npm run bench\`. -->
# Performance

This page shows what a request to a described resource costs, compared with the same routes written by hand and with other frameworks. Everything
that the library does for a request is switched on: policy, scope, ETags, deadlines, aborts and problem documents.

\`\`\`sh
npm run bench                    # about half an hour: writes this page
npm run bench -- --quick         # two minutes: compares, and prints
npm run bench -- --only=fields   # one task, one scale, or the starts: prints
npm run bench -- --bursts        # beside Koa by hand, more exactly: prints
npm run bench -- --memory        # a million requests: for the next page
npm run bench -- --growth        # 10,000,000 records, 10,000 streams: for the next page
\`\`\`

## How it is measured

Orders of 700 bytes of JSON, 20,000 of them, nine in ten the caller's. Each contestant serves its own collection in a process of its own; the load
comes from another process over real sockets, 32 connections at once unless a row says otherwise; MongoDB ${circumstances.mongodb} runs as a replica set with one
member on the same machine (${cpus().length} cores of ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}). The contestants take turns: ${circumstances.rounds} rounds of
${circumstances.seconds} seconds each, after a warm-up. Machines differ, and other programs disturb them, so the ratio within a round is what counts. Tables show medians.
The parentheses show the smallest and the largest ratio of a round.

The code written by hand is careful code: Ajv validates bodies, the owner is part of each query, private fields are not fetched, revisions are
ETags, and lists are paged by key (\`bench/contestants/by-hand.ts\`). Every list asks for the newest open orders before a random moment.

## CPU time

Microseconds of CPU time of the server's process for one request, and the ratio to Koa by hand.

${cpuTable(main)}

### Beside Koa by hand

These ratios are measured more exactly: one process serves both, and answers bursts of 50 to 1,400 requests to the one and to the other in turns, so that what
disturbs the machine disturbs both. V8 does not compile the same code alike each time, so that this is done in ${circumstances.processes} processes; the standard error is
that of their means. Of two equal builds, the one was 1.01 ± 0.01 of the other. \`npm run bench -- --bursts\` measures only this, and compares any two builds.

${burstTable(bursts)}

Alone means one request at a time, which shares no round trip. A guarded patch has a principal, two guards, a scope and a hook of \`after\`. In six other
processes, where one task came after another, a patch was 1.10 ± 0.02, a list of 1 1.11 ± 0.02 and a list of 20 0.62 ± 0.01.

Reads are cheap because records are not decoded: their JSON is written from the bytes of the database. Gets that arrive together also share a
round trip, and so do creates, which is why a single client gains nothing.

Writes do more than the code written by hand: each field is checked against its policy, and the library observes whether a write was sent, so
that a 503 is true.

[Where the time goes](where-the-time-goes.md) has profiles, and what was tried.

${main.map(({ task }) => `![${task.name}: CPU time for a request](performance/${task.name.replaceAll(' ', '-')}.svg)`).join('\n\n')}

## Throughput and latency

The load generator, the server and MongoDB share the machine.

${latencyTable(main)}

## Scale

How the costs grow, of the library and of Koa by hand, in rounds of one second: microseconds of CPU time for one request, and the ratio.
An api of many resources has each of them by hand, too, as routes of one router. A create of more bytes has more lines. The deep pages are those of
171,000 orders, newest first, each reached by the cursor of the page before it.

${scaleTable(grown)}

### One client, and many

${latencyTable(grown.get('connections') ?? [])}

### Growth

${writeGrowth(growths)}

## Import and export

By \`node --import tsx bench/import.ts\`, the store creates 50,000 records of 700 bytes with a history, in parts of 1,000. By hand is the driver with a validator of Ajv, in
transactions of as many records, which leaves the same rows. By \`node --import tsx bench/export.ts\`, 50,000 records are exported, each time by a new process. By hand is a cursor with a
projection, whose rows are escaped and joined to chunks, and which answers with the same bytes.

| | CPU, of by hand | elapsed, of by hand |
|---|--:|--:|
| import with a history | 1.52 | 1.46 |
| export as CSV | 0.85 | 0.99 |

In one run on a busy machine. The store also makes a document of each record that it returns, compares it with what was there before, and bounds its commands by size:
that is what is above 1.

## References that hold

64 clients create records with a reference with [\`onDelete\`](../reference/relations.md#references-that-hold) to the same record, by \`node --import tsx bench/references.ts\`. As a part of the
creates a second without the check, in one run:

| | by the library | by the driver alone |
|---|--:|--:|
| at the same time, so that they share a transaction | 0.50 (0.61 and 0.66 in two further runs) | 0.42 |
| each in a transaction of its own: four commands instead of two | 0.38 | 0.43 |

## Relations

\`node --import tsx bench/through.ts\` compares with the same routes by hand, in bursts: a create with three references with \`exists\` takes 0.99 of the CPU time (both ask for
the three at once), a list filtered through two relations 0.94, and one of 2,000 records sorted through a relation 1.69. With the time of the database, which is most of 17 ms, that one takes 1.03.

## Live lists

\`node --import tsx bench/live.ts\` opens streams of 20 lists of 20 records each, among 10,000, to a process of their own, and writes for 20 seconds. The process and mongod shared two cores with other work.

| | CPU of the process | CPU of mongod | reads | median delay | p99 |
|---|--:|--:|--:|--:|--:|
| no stream, 100 writes a second | 0.2 % | 13.0 % | 0 | | |
| one stream, no writes | 0.8 % | 0.5 % | 0 | | |
| one stream, 100 writes a second to a collection that it does not show | 0.8 % | 18.0 % | 0 | | |
| 1,000 streams, 100 writes a second | 35.5 % | 20.0 % | 58.5/s | 168 ms | 665 ms |
| 1,000 streams of 1,000 callers, 5 writes a second to a watched model | 74.2 % | 28.3 % | 996/s | | |
| the same, with \`where\`, by which they concern nobody | 4.0 % | 1.6 % | 5/s | | |
| the same of 50 callers, with \`credentials\` and without \`where\` | 36.7 % | 3.7 % | 52/s | | |

The process does nothing for a collection that no list shows; mongod compares each write of the database with the names that the stream carries. The 1,000 clients share 20 reads, and each list is read at most every 250 ms.

## Memory

${memoryTable(held)}

## Start

A start reports every mistake of every definition. The time is that of the process and of V8's other threads. The chains of the standard operations are made by the
first request to each. Nearly all of the import is V8 reading a megabyte of JavaScript.

| | CPU ms | elapsed ms | memory MiB |
|---|--:|--:|--:|
${[...starts].map(([title, { cpu, elapsed, rss }]) => `| ${title} | ${cpu.toFixed(0)} | ${elapsed.toFixed(0)} | ${mebibytes(rss)} |`).join('\n')}
`;
}

function cpuTable(all: readonly Compared[]): string {
  const [first] = all as readonly [Compared];
  const rows = first.rows.map(({ name, title }) => {
    const cells = all.map(({ rows: found }) => {
      const cpu = cpuOf(found, name);
      const ratio = ratios(cpu, cpuOf(found, 'koa'));
      return `${median(cpu).toFixed(0)} · ${name === 'koa' ? '1' : spread(ratio)}`;
    });
    return `| ${name === 'ours' ? `**${title}**` : title} | ${cells.join(' | ')} |`;
  });
  return [`| | ${all.map(({ task }) => task.name).join(' | ')} |`, `|---|${all.map(() => '--:|').join('')}`, ...rows].join('\n');
}

function burstTable(bursts: readonly BurstRatio[]): string {
  const cells = bursts.map(
    ({ task: { name }, cpu: [koa, ours], ratio, error }) =>
      `| ${name} | ${koa.toFixed(0)} | ${ours.toFixed(0)} | ${ratio.toFixed(2)} ± ${error.toFixed(2)} | ${inWords(ratio)} |`,
  );
  return ['| | Koa by hand, µs | koa-mongo-resource, µs | ratio | |', '|---|--:|--:|--:|---|', ...cells].join('\n');
}

/** Rounded to what a run can tell. */
function inWords(ratio: number): string {
  const percent = Math.round(100 * Math.abs(ratio - 1));
  if (percent < 3) return 'as much';
  return `${percent} % ${ratio < 1 ? 'less' : 'more'}`;
}

function cpuOf(rows: readonly Measured[], name: string): number[] {
  return rows.find((row) => row.name === name)?.samples.map(({ cpu }) => cpu) ?? [];
}

function latencyTable(all: readonly Compared[]): string {
  const rows = all.flatMap(({ task, rows: found }) =>
    found.map(({ title, samples }) => {
      const of = (key: Figure) => median(samples.map((sample) => sample[key]));
      return `| ${task.name} | ${title} | ${of('perSecond').toFixed(0)} | ${of('p50').toFixed(1)} | ${of('p99').toFixed(1)} | ${mebibytes(of('rss'))} |`;
    }),
  );
  return ['| | | requests/s | p50 ms | p99 ms | memory MiB |', '|---|---|--:|--:|--:|--:|', ...rows].join('\n');
}

function scaleTable(grown: ReadonlyMap<string, readonly Compared[]>): string {
  const rows = [...grown].flatMap(([what, all]) =>
    all.map(({ task, rows: found }) => {
      const [koa, ours] = [cpuOf(found, 'koa'), cpuOf(found, 'ours')];
      return `| ${what} | ${task.name} | ${median(koa).toFixed(0)} | ${median(ours).toFixed(0)} | ${spread(ratios(ours, koa))} |`;
    }),
  );
  return ['| | | Koa by hand | koa-mongo-resource | ratio |', '|---|---|--:|--:|--:|', ...rows].join('\n');
}

function memoryTable(held: readonly Held[]): string {
  if (held.length === 0) return 'Not measured: `npm run bench -- --memory` does it.';
  const rows = held.map(
    ({ requests, heap, rss }) => `| ${requests.toLocaleString('en')} | ${(heap / 2 ** 20).toFixed(1)} | ${mebibytes(rss)} |`,
  );
  return [
    'What the process of the library holds after a full collection. Of 20 requests, 16 are gets, 2 lists, 1 is a create and 1 a patch.',
    '',
    '| requests | heap MiB | resident MiB |',
    '|--:|--:|--:|',
    ...rows,
  ].join('\n');
}

function mebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(0);
}
