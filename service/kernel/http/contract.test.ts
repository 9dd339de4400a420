/** Requests cannot set properties that the service owns (mass assignment; T08, ASVS 15.3.3). */
import { expect, test } from 'vitest';
import { contract } from '../../testing/site.ts';

const OWNED_PROPERTIES = [
  'siteId_',
  'isAdmin',
  'createdBy',
  'createdDate',
  'modifiedBy',
  'version',
  'homeSiteId',
  'passwordHash',
  'failedCount',
  'isFederated',
  'runsPlatform',
  'secretHash',
  '__typename',
];
/** Operations that must ignore unknown properties (RFC 6749 3.2, JSON-RPC). */
const OPERATIONS_IGNORING_UNKNOWN = new Set(['issueToken', 'callAgentServer']);

const getErrorPaths = (operation: (typeof contract.operations)[number], body: unknown) =>
  operation.validateRequest({ params: {}, query: {}, body }).errors.map(({ path }) => path);

/** Operations with a JSON body: a string is an invalid body for each of them. */
const operationsWithBody = contract.operations.filter(
  (operation) =>
    operation.method !== 'GET' &&
    !OPERATIONS_IGNORING_UNKNOWN.has(operation.id) &&
    getErrorPaths(operation, 'letters').includes('body'),
);

test('covers more than 50 operations', () => expect(operationsWithBody.length).toBeGreaterThan(50));

test.each(operationsWithBody.map((operation) => [operation.id, operation] as const))(
  '%s rejects properties that the service owns',
  (_id, operation) => {
    const accepted = OWNED_PROPERTIES.filter((name) => {
      const [asObject, inList] = [{ [name]: 1 }, [{ [name]: 1 }]].map((body) =>
        getErrorPaths(operation, body),
      );
      // A list of something other than objects rejects both bodies.
      return !(asObject?.some((path) => path.includes(name)) || inList?.some((path) => path.startsWith('0')));
    });
    expect(accepted).toEqual([]);
  },
);
