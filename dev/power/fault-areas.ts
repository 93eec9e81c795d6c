import type { Area } from './area.ts';

/**
 * The tests of faults, and what they are about. Most lines of these files matter only while something fails: so the
 * faults are chosen, each one a promise of `docs/about/reliability.md` that is broken.
 */
export const faultAreas: readonly Area[] = [
  // What a failed command means, and deadlines.
  {
    faults: [
      ['mongo/driver/outcome', 'if (handOvers === 0) return', 'if (handOvers <= 1) return'],
      ['mongo/driver/outcome', 'if (handOvers === 1) return', 'if (handOvers >= 1) return'],
      ['mongo/driver/work', 'if (this.#aborted) throw this.#aborted.reason;', ''],
      ['mongo/driver/work', 'if (reachability.isAway(need)) throw', 'if (reachability.isAway(need) && !isWrite) throw'],
    ],
    tests: ['faults/network', 'faults/outages', 'faults/soak', 'faults/step-down'],
  },
  // What was acknowledged is stored.
  {
    faults: [
      [
        'mongo/driver/shared-inserts',
        'const batch = new Batch(members);',
        'const batch = new Batch(members);\n    for (const { resolve } of members) resolve();\n    await new Promise((done) => setTimeout(done, 20));',
      ],
    ],
    tests: ['faults/killed-service', 'faults/soak', 'faults/outages'],
  },
  // Sessions, transactions, and latches of references.
  {
    faults: [
      ['mongo/driver/sessions', 'else if (transaction.mayHoldLocks) await abort(db, transaction);', ''],
      ['mongo/driver/run-transaction', 'const isUncommitted = handOvers === 0 ||', 'const isUncommitted = handOvers <= 1 ||'],
      ['mongo/relations/check/latches/latch', '$lt: latchId(record, mostLatches)', '$lt: latchId(record, 1)'],
      ['mongo/relations/check/latches/latch', "$cond: [isShut, '$$ROOT', taken]", "$cond: [isShut, '$$ROOT', '$$ROOT']"],
    ],
    tests: ['faults/references-killed', 'faults/transactions', 'faults/killed-transaction'],
  },
  // Places in flight.
  {
    faults: [
      [
        'middleware/in-flight-limit',
        'else exchange.whenFree(() => inFlight--);',
        'else exchange.whenFree(() => void (exchange.isBroken || inFlight--));',
      ],
      ['middleware/exchange/exchange', 'for (const exchange of exchanges) exchange.end();', ''],
      ['middleware/exchange/exchange', '    if (this.#isOver) return;\n    this.#isOver = true;', '    this.#isOver = true;'],
    ],
    tests: ['faults/places'],
  },
  // The feed of live lists.
  {
    faults: [
      ['mongo/changes/change-feed', 'if (before) stream.begun.then(() => this.#tell(undefined), ignore);', ''],
      ['mongo/changes/open-stream', 'await this.#askTime();\n        await this.#tell(undefined);', 'await this.#askTime();'],
      [
        'mongo/changes/open-stream',
        'if (event && isLater(event, begun)) {\n            this.#time = event.clusterTime;',
        'if (event) {\n            if (isLater(event, begun)) this.#time = event.clusterTime;',
      ],
    ],
    tests: ['faults/live-feed', 'faults/live'],
  },
  // Delivery.
  {
    faults: [
      ['queues/queue-rows', "{ _id: { $eq: id }, 'lease.token': token }", '{ _id: { $eq: id } }'],
      ['queues/queue-rows', "{ $and: [{ $eq: ['$state', 'pending'] }, { $or: [isDue, isBehind] }] }", "{ $eq: ['$state', 'pending'] }"],
      ['queues/queue-rows', 'sort: { [this.#sequence]: 1 },', 'sort: { [this.#sequence]: -1 },'],
      ['queues/persist', 'if (isOver()) return undefined;', 'if (attempt >= 0) return undefined;'],
      ['mongo/ledger/ledger-rows', 'mayRepeat: () => !command.aborted }, command.options)', 'mayRepeat: () => !command.aborted }, {})'],
    ],
    tests: ['faults/delivery'],
  },
  // Removals.
  {
    faults: [
      ['mongo/removals/carry-out', 'rows.count(row, counts, work)', 'rows.count(row, counts, new Work())'],
      [
        'mongo/removals/follow-step',
        '  await rows.drop(step, work);\n  const {',
        '  await rows.drop(step, new (work.constructor as typeof Work)());\n  const {',
      ],
      [
        'mongo/removals/follow-step',
        'if (incoming) await rows.add(firstStep(begun), work);',
        'if (incoming && ids.length > 1) await rows.add(firstStep(begun), work);',
      ],
      [
        'mongo/removals/carry-out',
        "if (!shown) throw new Error('The lease of a removal was lost: another worker has it.');",
        'if (!shown) return row;',
      ],
    ],
    tests: ['faults/removals'],
  },
];
