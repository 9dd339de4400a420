/** What the service owns is in no body that it takes: nobody makes themselves more by naming it (T08, ASVS 15.3.3). */
import { expect, test } from 'vitest';
import { contract } from '../../testing/site.ts';

const OWNED = [
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
/** RFC 6749 3.2 and JSON-RPC: what is not known there is ignored; nothing of it is read. */
const IGNORING = new Set(['issueToken', 'callAgentServer']);

const faultsOf = (operation: (typeof contract.operations)[number], body: unknown) =>
  operation.check({ params: {}, query: {}, body }).faults.map(({ path }) => path);

/** Those that read a body: one of letters is a fault of the body as such. */
const writes = contract.operations.filter(
  (each) => each.method !== 'GET' && !IGNORING.has(each.id) && faultsOf(each, 'letters').includes('body'),
);

test('most of what writes reads a body', () => expect(writes.length).toBeGreaterThan(50));

test.each(writes.map((each) => [each.id, each] as const))('%s', (_id, operation) => {
  const open = OWNED.filter((name) => {
    const [alone, listed] = [{ [name]: 1 }, [{ [name]: 1 }]].map((body) => faultsOf(operation, body));
    // A list of what is no object at all refuses both as they are.
    return !(alone?.some((path) => path.includes(name)) || listed?.some((path) => path.startsWith('0')));
  });
  expect(open).toEqual([]);
});
