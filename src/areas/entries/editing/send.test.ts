import { expect, it } from 'vitest';
import type { StagedCell } from './change-set.ts';
import { excerptDifference, describeSubtleDifference } from './format-changes.ts';
import { parseRequestErrors, buildStoreRequests } from './send.ts';

const cell = (entryId: number, fieldId: number): StagedCell => ({
  entryId,
  fieldId,
  entryName: 'Hafen',
  before: 'Old',
  value: 'New',
});

it('sends expected values except for new entries', () => {
  expect(buildStoreRequests([cell(5, 7), cell(-1, 7)], false)).toEqual([
    { entryId: 5, fieldId: 7, value: 'New', expected: { value: 'Old' } },
    { entryId: -1, fieldId: 7, value: 'New' },
  ]);
  expect(buildStoreRequests([cell(-1, 7)], true)[0]).toHaveProperty('ignoreNearDups', true);
});

it('assigns errors to their cells', () => {
  const cells = [cell(5, 7), cell(5, 8), cell(6, 7)];
  const fields = [
    { path: 'storeRequests.0.expected', message: 'Name no longer has the expected value' },
    { path: 'storeRequests.1.value', message: 'must be a number' },
    { path: 'storeRequests.1', message: 'Score is required' },
    { path: 'storeRequests', message: 'has too many items' },
  ];
  const { cellErrors, conflicts, isOnlyNearDuplicate, otherErrors } = parseRequestErrors({ fields }, cells);
  expect([...cellErrors]).toEqual([['5/8', 'must be a number. Score is required']]);
  expect(conflicts).toEqual([cells[0]]);
  expect(isOnlyNearDuplicate).toBe(false);
  expect(otherErrors).toEqual(['storeRequests: has too many items']);
});

it('detects near-duplicate names as the only errors', () => {
  const message = '"Hafen" (entry 9) has nearly the same name; set ignoreNearDups to store it anyway';
  const result = parseRequestErrors({ fields: [{ path: 'storeRequests.0.value', message }] }, [cell(5, 7)]);
  expect(result.isOnlyNearDuplicate).toBe(true);
  expect([...result.cellErrors.values()]).toEqual(['"Hafen" (entry 9) has nearly the same name']);
});

it('excerpts long texts where they differ and describes subtle differences', () => {
  const long = 'x'.repeat(1000);
  const [before, after] = excerptDifference(`${long}one${long}`, `${long}two${long}`);
  expect(before).toContain('one');
  expect(after).toContain('two');
  expect(before.length).toBeLessThan(200);
  expect(excerptDifference('a', 'b')).toEqual(['a', 'b']);
  expect(describeSubtleDifference('Hafen', 'hafen')).toBe('Only upper and lower case differ');
  expect(describeSubtleDifference('a b', 'a  b')).toBe('Only spaces differ');
  expect(describeSubtleDifference('a', 'b')).toBeUndefined();
  expect(describeSubtleDifference('', ' ')).toBeUndefined();
});
