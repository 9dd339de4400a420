/** Request bodies that the service rejects and that are expensive to read; used by tests and benchmarks. */

const MEGABYTE = 1_000_000;
const DATA = '/console/api/rest/v4/data/entrydata';
const LINK = '/console/api/session/link';

const writeItems = (item: object) =>
  JSON.stringify({ storeRequests: Array.from({ length: 10_000 }, () => item) });
const countTo = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join();

/** A request that the service rejects, and on which a naive implementation would spend much time. */
export interface HeavyBody {
  name: string;
  path: string;
  body: string;
  /** Number of requests at once. */
  count?: number;
  status: number;
}

/** Bodies for an entry type, by id or name, and for everybody, in the console API. */
export const createHeavyBodies = (entryType: string | number): readonly HeavyBody[] => [
  {
    name: '10,000 items with unknown properties',
    path: `${DATA}/${entryType}`,
    body: writeItems({ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 }),
    status: 400,
  },
  {
    name: '10,000 items of an unknown field',
    path: `${DATA}/${entryType}`,
    body: writeItems({ entryId: -1, fieldId: 2_000_000_000, value: 'x' }),
    status: 400,
  },
  {
    name: '15 MB of `[],`',
    path: `${DATA}/${entryType}`,
    body: `[${'[],'.repeat(5 * MEGABYTE)}[]]`,
    status: 413,
  },
  {
    name: '16 MB of numbers',
    path: `${DATA}/${entryType}`,
    body: `{"storeRequests":[${countTo(750, () => `{"entryId":"x","fieldId":1,"value":[${'1,'.repeat(9_999)}1]}`)}]}`,
    status: 400,
  },
  {
    name: '256 KB of unknown properties',
    path: `${DATA}/${entryType}`,
    body: `{${countTo(24_000, (index) => `"${index}":1`)}}`,
    status: 400,
  },
  {
    name: 'a query text of 1 MB',
    path: `${DATA}/rows/query/${entryType}`,
    body: JSON.stringify({ query: `{${countTo(80_000, (index) => `"${index}":1`)}}` }),
    status: 400,
  },
  {
    name: 'a query text of 65 KB in JSON5',
    path: `${DATA}/rows/query/${entryType}`,
    body: JSON.stringify({ query: `{${countTo(7_000, (index) => `n${index}:1`)}}` }),
    status: 400,
  },
  {
    name: '20 × 1 MB without credentials',
    path: LINK,
    body: `{"token":"${'x'.repeat(MEGABYTE)}"}`,
    count: 20,
    status: 413,
  },
];
