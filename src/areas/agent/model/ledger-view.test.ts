import { expect, it } from 'vitest';
import { parseLedgerSearch } from './ledger-search.ts';
import { clearFilters, getPeriodStart, getRange, isFiltered, toCallFilter } from './ledger-view.ts';

it('parses the search parameters, leaves invalid ones out, and filters with them', () => {
  const view = parseLedgerSearch({
    days: 7,
    agent: 3,
    field: 0,
    type: 'x',
    refused: true,
    flagged: 'yes',
    q: 1,
  });
  expect(view).toEqual({ days: 7, agent: 3, field: 0, refused: true });
  expect(toCallFilter(view)).toEqual({ keyId: 3, fieldId: 0, outcome: 'Refused' });
  expect([isFiltered(view), isFiltered(clearFilters(view))]).toEqual([true, false]);
  expect(clearFilters(view)).toEqual({ days: 7 });
  expect(getRange(parseLedgerSearch({ days: 8 })).label).toBe('24 hours');
});

it('starts a period on the edge of a bar', () => {
  const now = Date.parse('2026-03-30T10:44:12Z');
  expect(getPeriodStart(getRange({}), now).toISOString()).toBe('2026-03-29T10:30:00.000Z');
  expect(getPeriodStart(getRange({ days: 30 }), now).toISOString()).toBe('2026-02-28T00:00:00.000Z');
});
