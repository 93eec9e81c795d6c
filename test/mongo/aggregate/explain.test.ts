import { MongoNetworkError, MongoServerError } from 'mongodb';
import { Problem } from '../../../src/errors.ts';
import { explain, tooMany, tooManyRecords } from '../../../src/features/aggregate/mongo/explain.ts';

const server = (code: number) => new MongoServerError({ message: 'hunter2', code });
const timeout = (cause: unknown) => new Problem({ code: 'database_timeout', cause });

/** What an error is explained as: the problem of a client, or undefined if it stays as it is. */
function explained(error: unknown): object | undefined {
  const problem = explain(error);
  if (problem === error) return undefined;
  const { code, message, errors } = problem as Problem;
  return { code, message, errors };
}

const noMemory = {
  code: 'too_many_matches',
  message: 'The groups would take more memory than the database gives them: narrow the list by filters, or group it by fewer fields.',
  errors: undefined,
};
const noZone = {
  code: 'invalid_query',
  message: expect.any(String),
  errors: [
    {
      field: 'timezone',
      message: 'must be a time zone, such as Europe/Berlin or +02:00',
      rule: 'format',
      params: { format: 'time-zone' },
    },
  ],
};

describe('explain()', () => {
  it.each<[what: string, error: unknown, explained: object | undefined]>([
    ['a time zone that the database does not know', server(40485), noZone],
    ['the same as the cause of a problem', timeout(server(40485)), noZone],
    ['groups that take too much memory', server(292), noMemory],
    ['the same as the cause of a problem', timeout(server(292)), noMemory],
    ['different values that take too much memory', server(146), noMemory],
    ['groups that have no room to be counted', server(5643011), noMemory],
    ['another error of the database', server(50), undefined],
    ['another error of the database as the cause of a problem', timeout(server(50)), undefined],
    ['a problem without a cause', timeout(undefined), undefined],
    ['a broken connection', new MongoNetworkError('hunter2'), undefined],
    ['an error of the program with such a code', Object.assign(new Error('x'), { code: 292 }), undefined],
    ['what only has such a cause', new Error('x', { cause: server(292) }), undefined],
    ['undefined', undefined, undefined],
  ])('%s', (_what, error, expected) => expect(explained(error)).toEqual(expected));
});

describe('the problem of an aggregate that is too large', () => {
  const read = ({ code, status, message }: Problem) => [code, status, message];

  it('advises fewer groups where that helps', () => {
    const advice = 'narrow the list by filters, or group it by fewer fields.';
    expect(read(tooMany('It is too large'))).toEqual(['too_many_matches', 422, `It is too large: ${advice}`]);
  });

  it('advises filters alone where too many records match', () => {
    expect(read(tooManyRecords(5))).toEqual(['too_many_matches', 422, 'More than 5 records match: narrow the list by filters.']);
  });
});
