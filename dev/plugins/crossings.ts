/** What is about a plug-in outside of `src/`. */
interface Crossings {
  /** What is about it alone. A folder stands for all that it has. */
  readonly own: readonly string[];
  /** What uses it among other things, such as a model of many tests. */
  readonly crossing: readonly string[];
  /** Files that use it and stay, each with the text of the lines that go. */
  readonly lines?: Readonly<Record<string, string>>;
}

/**
 * The tests, examples and benchmarks that go with each plug-in of `src/features/`. What imports one of them goes with
 * it, too, and is not named here. A page that has more than a plug-in stays: who removes the plug-in for good writes it
 * anew. The tests that run the code of pages or compare them with the library go.
 */
export const crossings: Readonly<Record<string, Crossings>> = {
  counters: {
    own: [
      'docs/guides/steps-and-numbers.md',
      'test/feature/counters',
      'test/types/counters.test-d.ts',
      'test/guides/steps-and-numbers.slow.test.ts',
    ],
    crossing: [
      'test/dev/power.test.ts',
      'test/docs.test.ts',
      'test/docs/compile.slow.test.ts',
      'test/docs/options.test.ts',
      'test/docs/promises.test.ts',
      'test/feature/soft-delete.test.ts',
      'test/feature/stored/desk.ts',
      'test/feature/stored/misfits-elsewhere.test.ts',
      'test/feature/stored/removed.test.ts',
      'test/feature/stored/shops.ts',
      'test/feature/views/store-errors.ts',
      'test/feature/views/values-of-hidden.slow.test.ts',
      'test/goldens/configuration',
      'test/goldens/parts/serve-errors.ts',
      'test/goldens/parts/serve-shop.ts',
      'test/middleware/docs.test.ts',
      'test/model/compile/check-field.test.ts',
      'test/model/compile/compile-computed.test.ts',
      'test/resource/late-chains.slow.test.ts',
      'test/resource/table/rows.test.ts',
      'test/store/unknown-references.test.ts',
      'test/support/matrix/models.ts',
      'test/support/models/parcel.ts',
      'test/support/models/views.ts',
      'test/support/operations/models.ts',
    ],
  },
  links: {
    own: ['test/feature/links.test.ts', 'test/openapi/relations/links.test.ts'],
    crossing: [
      'test/docs.test.ts',
      'test/docs/compile.slow.test.ts',
      'test/docs/options.test.ts',
      'test/docs/promises.test.ts',
      'test/faults/has-many.test.ts',
      'test/faults/references.test.ts',
      'test/feature/caseless/writes.test.ts',
      'test/feature/commands.test.ts',
      'test/feature/ledger/recorder.test.ts',
      'test/feature/mount-parameters.test.ts',
      'test/feature/nested.test.ts',
      'test/feature/operation-groups.test.ts',
      'test/feature/record-bytes.test.ts',
      'test/feature/relations-races.test.ts',
      'test/feature/replays-groups.test.ts',
      'test/feature/resource-routers.test.ts',
      'test/feature/soft-delete.test.ts',
      'test/feature/stored/desk.ts',
      'test/feature/stored/shops.ts',
      'test/feature/views/crossed.test.ts',
      'test/feature/views/values-of-hidden.slow.test.ts',
      'test/goldens/configuration',
      'test/goldens/parts/serve-errors.ts',
      'test/middleware/docs.test.ts',
      'test/products/cli/describe-operations.test.ts',
      'test/resource/late-chains.slow.test.ts',
      'test/resource/relations/has-many.test.ts',
      'test/resource/table/rows.test.ts',
      'test/resource/table/spelled-names.test.ts',
      'test/support/fuzzing/serve-relations.ts',
      'test/support/live/board.ts',
      'test/support/matrix/serve-matrix.ts',
      'test/support/operations/serve-every-operation.ts',
      'test/types/extend.test-d.ts',
      'test/types/messages.slow.test.ts',
      'test/types/relations.test-d.ts',
    ],
    lines: { 'examples/projects/api.ts': 'links: [' },
  },
};
