/** What somebody could try, and the tests that hold against it. */
interface Threat {
  readonly threat: string;
  /** The titles of tests, as `titlesOf` finds them, by the file in `test/`. */
  readonly tests: Readonly<Record<string, string | readonly string[]>>;
}

/** Who could try it, and what he has. */
export interface Attacker {
  readonly who: string;
  readonly threats: readonly Threat[];
}

/** The threats of docs/about/threats.md, which `npm run threats` writes. */
export const attackers: readonly Attacker[] = [
  {
    who: 'Somebody without credentials',
    threats: [
      {
        threat: 'calls an operation past its guards, by another spelling, a batch, a stream, a kept answer or a tool of an agent',
        tests: {
          'feature/guards.test.ts': [
            'a guard opens %s%s by true alone: everything else is 403, and nothing is done',
            'a guard of one operation does not cover another',
          ],
          'feature/every-operation.slow.test.ts': 'every operation that is served is 403 and writes nothing if its guard is closed: %s',
          'feature/every-row-coverage.test.ts': 'the matrix of rows has a request for each row, and none for another',
          'feature/batch.test.ts':
            'POST /batch asks the guards of each operation, with its method, path and parameters, before the transaction begins',
          'feature/replays.test.ts': 'a repeated request: %s is 403 if a guard refuses the caller by now',
          'products/mcp/calls.test.ts': 'a call is refused by the guards of the operation: nothing that the model can mend',
        },
      },
      {
        threat: 'is taken for a principal: by an empty value, a credential that is damaged, or what was left of another caller',
        tests: {
          'middleware/authenticate.test.ts': [
            'authenticate() leaves the request anonymous for %o: requirePrincipal() then throws 401',
            'authenticate() forgets the guards that opened for somebody else, when it stands in a chain again',
          ],
          'feature/scope.test.ts':
            'a record out of scope is 401 for an anonymous request, where the scope requires a principal, also before the body is looked at',
        },
      },
      {
        threat: 'reads values or records out of an error of the service',
        tests: {
          'feature/unexpected-error.test.ts':
            'an unexpected exception is a bare 500 with type, title and status only, and reaches app.on(error) with the context: %s',
        },
      },
    ],
  },
  {
    who: 'A client of another tenant',
    threats: [
      {
        threat: 'reads or writes a record out of its scope, by any operation, or learns that it exists',
        tests: {
          'feature/every-operation.slow.test.ts': [
            'every operation that is served neither shows nor writes a record out of the scope: %s',
            'every operation that is served neither shows nor holds to a record of another resource out of its scope: %s',
          ],
          'feature/include-access.test.ts': 'the scope of an embedded record answers as if the record did not exist',
          'feature/references-exist.test.ts':
            'a reference with `exists` answers 422 on the path of %s, with the same bytes for a missing and a hidden record',
          'feature/search/search.test.ts': 'the scope of a search shows each tenant its own records, and reads no others',
          'products/mcp/calls.test.ts': 'a call cannot reach the record of somebody else: 404, with the tool that finds ids',
        },
      },
      {
        threat: 'moves a record into another tenant, or creates one there',
        tests: {
          'feature/scope-writes.test.ts':
            'a write whose record would lie outside of the scope is 422 on the fields at fault, and nothing is written: %s',
        },
      },
      {
        threat: 'is shown the answer to a request of somebody else that has the same key',
        tests: {
          'feature/idempotency.test.ts':
            'a request with an Idempotency-Key is 422 with another body, path or method, and free for other principals',
          'feature/replays.test.ts': 'a repeated request: %s is 404 if the record is out of the scope by now',
        },
      },
      {
        threat: 'is shown what a shared round trip, a live list or a tab has read for somebody else',
        tests: {
          'feature/share-round-trips.test.ts':
            'shareRoundTrips of an api is for callers of different views, too, and shows each of them what is theirs',
          'feature/live/crossings.test.ts': 'a live list never shows to one caller what another may see of related records by now',
          'browser/live-client.test.ts': 'tabs of different callers part when a tab connects again as another caller',
        },
      },
      {
        threat: 'subscribes to events of records that it cannot see',
        tests: {
          'products/webhooks/delivery.test.ts': [
            'webhooks reach nobody outside of the scope, and nobody where there is none',
            'webhooks reach nobody who is out of the scope by the time at which they are sent',
          ],
          'products/webhooks/subscriptions.test.ts': 'subscriptions are those of their scope',
        },
      },
    ],
  },
  {
    who: 'A client with fewer rights',
    threats: [
      {
        threat: 'reads a private field, or finds its value by filters, sorts, counts, sizes, errors or descriptions',
        tests: {
          'feature/get.test.ts': 'GET /:id answers 200 with the record and its ETag, and never a private field at any depth',
          'feature/list-refusals.test.ts': 'the problem of a list query reports a private field exactly as an unknown one',
          'feature/aggregate.test.ts': 'what GET <list>/aggregate refuses tells a hidden field from an unknown one by nothing',
          'feature/patch-many-private.test.ts':
            '`modified` of a PATCH of many records counts every match where the caller writes %s, and so does not tell its value',
          'feature/counted-costs.test.ts': 'a $name receives the bytes of what clients may see, and none of a private field',
          'feature/canaries.slow.test.ts':
            'two services that differ in their secrets only report the same errors, and warn of the same, without a secret',
        },
      },
      {
        threat: 'is answered a private value that a handler or a hook has copied',
        tests: {
          'feature/private-answers.test.ts': 'a record in an answer is an error where it is a copy, alone: %s',
          'feature/answer-schema.test.ts': 'what is private in a record is never answered by mistake: %s',
        },
      },
      {
        threat: 'clears or replaces, with an object, what it cannot see in it',
        tests: {
          'feature/views/keeps-hidden.test.ts': [
            '%s keeps what the caller cannot see of an object that it replaces',
            '%s does not clear an object that holds what the caller cannot see',
          ],
        },
      },
      {
        threat: 'goes on with a cursor, a kept answer or a stream of the time when it saw more',
        tests: {
          'feature/views/cursors-through.test.ts':
            'the cursors of a list through relations with rules, for %s belong to the view of the related records that they name',
          'feature/views/answers.test.ts': 'an answer whose schema has fields by role is not shown again to a caller of another view',
          'feature/live/asks-again.slow.test.ts':
            'a caller who has lost its rights is found out in time, whoever else is never answered for',
          'feature/live/begins.test.ts':
            'a stream that begins while `recheck` is called is asked again before its first byte, and shows nothing to a caller who has lost the right',
        },
      },
    ],
  },
  {
    who: 'A client that sends what nobody expects',
    threats: [
      {
        threat: 'makes a value an operator, a key a path, or a text a pattern of the database',
        tests: {
          'feature/nosql-injection.slow.test.ts': [
            'an operator as a value in a body is 422 wherever a field has a type: %j',
            'an operator in a query is 400 as a key: %s',
            'an operator in a path or a header is the id of no record: %s',
          ],
          'feature/bson-like-data.test.ts': 'what looks like a type of BSON in untyped data of %s is data for every operation: %j',
          'mongo/query/filter.test.ts': 'buildFilter() keeps a value an operand, whatever it looks like',
          'products/mcp/build-request.test.ts': 'buildRequest leads no id out of its segment, and no value into another parameter',
        },
      },
      {
        threat: 'changes a prototype',
        tests: {
          'feature/prototype-pollution.test.ts': [
            'a key that reaches a prototype is an unknown field where fields are declared, at any depth: %s',
            'a key that reaches a prototype is data in an untyped value or a map, stored and served as it is: %s',
          ],
        },
      },
      {
        threat: 'stores what another program takes for a formula, a header or a line of a log',
        tests: {
          'feature/export/csv.test.ts':
            'a list with `Accept: text/csv` disarms text that a spreadsheet would take for a formula, and no numbers',
          'feature/observe.test.ts': 'the id of a request is made where the client sent none that is harmless: %s',
          'feature/debug.test.ts': 'DEBUG=koa-mongo-resource never shows a value of a client or of a record',
        },
      },
      {
        threat: 'makes the service answer 500, or end',
        tests: {
          'feature/random-query.slow.test.ts': 'a query string, whatever it holds never gives 500: a list, or a problem of the client',
          'feature/naughty-strings.slow.test.ts': 'a naughty string that is no Unicode is 422, naming its field: %j',
          'feature/user-functions.slow.test.ts':
            'with %s, and listeners for errors and requests of which each throws or rejects %s costs its own request only, whatever it throws',
        },
      },
    ],
  },
  {
    who: 'A client that wears the service out',
    threats: [
      {
        threat: 'sends a body that is too large, too deep, or has too many values',
        tests: {
          'feature/body.test.ts': [
            'a body that is too large is 413 by its Content-Length alone, before any of it is sent',
            'a body that is not JSON is 400 when it is nested 500,000 levels deep',
          ],
          'feature/every-operation.slow.test.ts':
            'every operation that is served is 413 and writes nothing if its body has too many bytes, or too many values: %s',
          'feature/pauses.test.ts': 'a large body lets other requests run between its validation and its write: a %s one',
        },
      },
      {
        threat: 'asks for more than a page can hold',
        tests: {
          'feature/every-operation.slow.test.ts':
            'every operation that is served has an answer of no more bytes than the limit and one record, or writes nothing: %s',
          'feature/batch-answer-bytes.test.ts':
            'the answer of a batch of more than `maxAnswerBytes` is 413 with the first operation that does not fit, and nothing is written',
        },
      },
      {
        threat: 'keeps the database busy',
        tests: {
          'feature/every-operation.slow.test.ts':
            'every operation that is served sends the commands that are expected, each with a limit of time: %s',
          'feature/prefix-bytes.test.ts': 'a prefix whose pattern has more bytes than MongoDB takes is 400 and names the bytes: %s',
        },
      },
      {
        threat: 'sends or reads slowly, or leaves, and holds a place, a lock or a key',
        tests: {
          'faults/clients-that-leave.test.ts':
            'a client that leaves holds no place, no lock, no session and no key, at whatever command it leaves: %s',
          'feature/answer-timeout.slow.test.ts': 'answerTimeout cuts off a client that does not read, and frees its place',
          'feature/sockets.test.ts': 'a connection to %s is cut when a client goes on and on, and has had its answer',
        },
      },
      {
        threat: 'takes the places of all others',
        tests: {
          'feature/in-flight.test.ts':
            'maxConcurrency leaves the places of others free with `each` and `by`, which know the caller, and counts a batch as one request',
          'feature/batch-places.test.ts': 'batches of one client take at most half of its places, and give them back',
          'feature/live/begins.test.ts':
            'a stream whose caller is not asked in time keeps no rights of others alive: they are asked in time while many hang',
        },
      },
    ],
  },
  {
    who: 'Two clients, or a failure, at the same time',
    threats: [
      {
        threat: 'one write overwrites another, or half of it is stored',
        tests: {
          'feature/races.slow.test.ts': [
            'clients that write at once lose no update and skip no revision, 50 of them on one record with If-Match',
            'clients that write at once never produce half of an embedded object, whoever clears it or merges into it',
          ],
          'faults/transactions.test.ts': '%s in a transaction leaves nothing half done, whichever of its commands fails, with the key %s',
        },
      },
      {
        threat: 'a request that is sent again is carried out twice',
        tests: {
          'feature/idempotency.test.ts':
            'many requests with one key at the same time, by fifty clients of two processes: one record, and the same bytes for all',
          'faults/lost-answers.test.ts': 'a write whose answer is lost is never refused, nor carried out twice',
        },
      },
      {
        threat: 'a record is deleted while another one begins to refer to it',
        tests: {
          'feature/references-race.test.ts':
            'references that hold leave no orphan and tell no lie when clients create children while the parent is deleted',
          'feature/relations-races.test.ts':
            'a path that names the other record of a reference that holds of a link leaves no id of a record that is deleted at the same time, and is 204 or 404',
        },
      },
      {
        threat: 'what is acknowledged is lost when a process or a primary ends',
        tests: {
          'faults/killed-service.test.ts':
            'loses nothing that it has acknowledged when its process is killed under load, and writes nothing twice',
          'faults/delivery.test.ts': [
            'the delivery of events loses nothing and keeps the order of each record when workers and writers are killed',
            'the delivery of events loses nothing when the primary steps down',
          ],
        },
      },
    ],
  },
  {
    who: 'A page of another origin, in the browser of a user',
    threats: [
      {
        threat: 'writes with the cookies of the user (with `crossOrigin`)',
        tests: {
          'feature/cross-origin.test.ts':
            '`crossOrigin` of an api refuses %s %s that a page of another site sends, before anybody is asked who is calling',
        },
      },
      {
        threat: 'brings code into the docs page',
        tests: {
          'feature/docs.test.ts': 'GET /docs has a policy that lets nothing stand in the page and nothing come from elsewhere',
        },
      },
    ],
  },
  {
    who: 'A subscriber to webhooks',
    threats: [
      {
        threat: 'lets the service ask addresses of its own network, by a name, a redirect or a second look-up',
        tests: {
          'products/webhooks/addresses.test.ts': [
            'no subscription takes the URL https://%s',
            'a name that is public at first and private at the next look-up is connected to only where it was checked',
          ],
          'products/webhooks/send.test.ts': 'does not follow a redirect (%i)',
        },
      },
      {
        threat: 'holds a worker by an answer that does not end',
        tests: {
          'products/webhooks/send.test.ts': [
            'cuts an endless body, and goes by its status',
            'gives up a receiver that does not answer in time',
            'cuts endless headers',
          ],
        },
      },
      {
        threat: 'reads a secret, or values of records in events',
        tests: {
          'products/webhooks/subscriptions.test.ts': 'subscriptions never show their secrets, but for the answer of `secret`',
          'products/webhooks/delivery.test.ts':
            'webhooks send each change once the transaction is stored, signed, and without a value of the record',
        },
      },
    ],
  },
  {
    who: 'Another program that writes into the collections',
    threats: [
      {
        threat: 'stores what the model does not allow, so that something private is shown or a list breaks',
        tests: {
          'feature/misfit-warning.test.ts':
            'a stored record that does not fit its model is served as before, and told of in development: %s',
          'feature/counters/steps.test.ts':
            'POST <record>/<counter> takes numbers that other programs have stored, and makes integers of them',
        },
      },
    ],
  },
  {
    who: 'A mistake of those who deploy',
    threats: [
      {
        threat: 'an option that protects is misspelt, or a scope returns nothing',
        tests: {
          'middleware/options.test.ts': 'a middleware with an unknown option or an invalid value %s is a configuration error: %s',
          'resource/definitions.test.ts': [
            'a mistake in a resource is a configuration error when the routes are built %s',
            'a mistake in an api is a configuration error %s',
          ],
        },
      },
      {
        threat: 'a person is to be forgotten, and traces stay',
        tests: {
          'guides/ledger.slow.test.ts': 'the guide on forgetting people is answered as it shows, and leaves nothing of them',
          'store/purge.test.ts': 'purge() empties the answers that an api has kept, and their keys are still applied once',
          'products/webhooks/forget.test.ts':
            'a purge by a store of an api that knows the subscriptions erases the deliveries about its records, and no others: %s',
        },
      },
    ],
  },
  {
    who: 'Somebody on the way from the sources to an installation',
    threats: [
      {
        threat: 'puts something into the tarball that is not in the sources',
        tests: {
          'package/release.test.ts': [
            'npm pack gives the same bytes for a fresh build in another folder, at another time of the files',
            'npm run release writes checksums that hold',
          ],
        },
      },
      {
        threat: 'runs a script when the package is installed, or brings more packages along',
        tests: {
          'package/contents.test.ts':
            'an installation adds a few packages to those of an app that has Koa, a router and the driver, and none of them has an install script',
          'package/release.test.ts':
            'npm run release lists in the SBOM what an installation brings, in the locked versions, and nothing of the tools',
        },
      },
    ],
  },
];
