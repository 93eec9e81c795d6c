import type { Area } from './area.ts';

/** The random tests that take longer than a second. */
export const dearAreas: readonly Area[] = [
  {
    files: [
      'model/read/write-bytes',
      'model/read/write-json',
      'model/read/select-fields',
      'model/read/hydrate',
      'model/read/private-fields',
    ],
    tests: [
      'model/read/write-bytes.slow',
      'feature/stored/forms-property.slow',
      'model/compile/view-of',
      'feature/fields-include',
      'feature/fields',
    ],
  },
  {
    files: ['model/write/plan-changes', 'model/write/plan-draft', 'model/write/read-value', 'mongo/query/update-pipeline'],
    tests: ['feature/writes-property.slow', 'store/store-and-routes.slow', 'store/many-property', 'feature/validators-property.slow'],
  },
  {
    files: [
      'model/operators/operators',
      'mongo/predicate/filter-of',
      'mongo/predicate/read-scope',
      'mongo/predicate/is-within',
      'mongo/list/parse-conditions',
      'mongo/list/compile-filter',
    ],
    tests: [
      'feature/filter-property.slow',
      'feature/list-property.slow',
      'mongo/query/within-scope-in-database',
      'mongo/query/as-expression',
    ],
  },
  {
    files: [
      'mongo/relations/cascade/plan-cascade',
      'mongo/relations/cascade/cascade-deletes',
      'mongo/relations/cascade/cascade-restores',
      'mongo/relations/check/check-references',
    ],
    tests: ['feature/relations-property.slow', 'feature/references-race.slow', 'feature/removals/property.slow'],
  },
  {
    files: ['mongo/through/expression', 'mongo/through/plan-through', 'mongo/through/sort-through', 'mongo/through/through-stages'],
    tests: ['feature/through-property.slow', 'feature/filter-property.slow'],
  },
  {
    files: ['features/live/work/group', 'features/live/work/subscription', 'features/live/work/state', 'mongo/changes/change-feed'],
    tests: ['feature/live/live-property.slow', 'feature/live/live-clients.slow'],
  },
  {
    files: [
      'mongo/lifecycle/lifecycle',
      'mongo/lifecycle/within',
      'mongo/query/precondition',
      'middleware/if-match',
      'mongo/collection/save-record',
    ],
    tests: [
      'feature/soft-delete-property.slow',
      'feature/conditional-requests.slow',
      'mongo/query/precondition-in-database',
      'feature/writes-property.slow',
    ],
  },
  {
    files: ['features/history/mongo/state-at', 'mongo/ledger/difference', 'mongo/ledger/entry', 'mongo/collection/recorder'],
    tests: ['feature/ledger/history-replay.slow'],
  },
  {
    files: ['mongo/driver/sharing', 'mongo/driver/shared-gets', 'mongo/driver/shared-inserts', 'mongo/relations/check/shared-creates'],
    tests: ['feature/shared-gets.slow', 'feature/shared-creates.slow', 'feature/relations-property.slow'],
  },
  {
    files: ['features/aggregate/mongo/plan-groups', 'features/aggregate/mongo/write-groups', 'features/aggregate/mongo/parse-aggregate'],
    tests: ['feature/aggregate-property.slow', 'feature/stored/forms-property.slow'],
  },
  {
    files: ['mongo/query/position', 'mongo/list/build-page', 'mongo/list/plan-page', 'mongo/list/cursor'],
    tests: ['feature/cursor-walk.slow', 'feature/page-bytes-property.slow', 'feature/list-property.slow'],
  },
  { files: ['features/upsert/plan-upsert', 'mongo/collection/write-or-insert'], tests: ['store/upsert-property.slow'] },
  { files: ['mongo/validators/collection-validator'], tests: ['feature/validators-property.slow', 'feature/stored/accepted.slow'] },
  { files: ['features/near/list-read'], tests: ['feature/near-property.slow'] },
];
