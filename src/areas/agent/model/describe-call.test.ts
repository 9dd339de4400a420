import { describe, expect, it } from 'vitest';
import { describeCall } from './describe-call.ts';
import type { DescribedCall } from './describe-call.ts';
import { buildSchemaNames } from './queries.ts';

const names = {
  ...buildSchemaNames([], []),
  getTypeName: () => 'Deals',
  getEntryName: () => 'Deal',
};

const call: DescribedCall = {
  tool: 'query_rows',
  outcome: 'Ok',
  message: null,
  arguments: {},
  entryTypeId: 3,
  entryIds: [7, 8],
  rows: 50,
  asOf: null,
};

describe('describeCall', () => {
  it.each([
    [{}, 'Read 50 Deals'],
    [{ rows: 1 }, 'Read 1 Deal'],
    [{ arguments: { query: { Stage: 2 } } }, 'Read 50 Deals with a filter'],
    [{ tool: 'count_rows' as const }, 'Counted Deals'],
    [{ tool: 'get_entry' as const, entryIds: [7] }, 'Read Deal 7'],
    [{ tool: 'entry_history' as const, entryIds: [7] }, 'Read the history of Deal 7'],
    [{ tool: 'find_users' as const, entryTypeId: null, rows: 3 }, 'Found 3 people'],
    [{ tool: 'list_entry_types' as const, entryTypeId: null }, 'Listed the entry types'],
    [{ outcome: 'Refused' as const, message: 'Deals are not allowed' }, 'Refused: Deals are not allowed'],
    [{ outcome: 'Cancelled' as const }, 'Cancelled by the client'],
  ])('%j: %s', (change, sentence) => {
    expect(describeCall({ ...call, ...change }, names)).toBe(sentence);
  });
});
