import { expect, it } from 'vitest';
import type { StagedCell } from './changes.ts';
import { refusalsOf, requestsOf } from './send.ts';
import { excerpts, subtleDifference } from './words.ts';

const cell = (entryId: number, fieldId: number): StagedCell => ({
  entryId,
  fieldId,
  entryName: 'Hafen',
  before: 'Old',
  value: 'New',
});

it('says what it expects to be there, but of no new entry', () => {
  expect(requestsOf([cell(5, 7), cell(-1, 7)], false)).toEqual([
    { entryId: 5, fieldId: 7, value: 'New', expected: { value: 'Old' } },
    { entryId: -1, fieldId: 7, value: 'New' },
  ]);
  expect(requestsOf([cell(-1, 7)], true)[0]).toHaveProperty('ignoreNearDups', true);
});

it('puts what was refused onto its cells', () => {
  const cells = [cell(5, 7), cell(5, 8), cell(6, 7)];
  const fields = [
    { path: 'storeRequests.0.expected', message: 'Name holds another value by now' },
    { path: 'storeRequests.1.value', message: 'must be a number' },
    { path: 'storeRequests.1', message: 'Score is required' },
    { path: 'storeRequests', message: 'has too many items' },
  ];
  const { faults, overtaken, isOnlyNear, rest } = refusalsOf({ fields }, cells);
  expect([...faults]).toEqual([['5/8', 'must be a number. Score is required']]);
  expect(overtaken).toEqual([cells[0]]);
  expect(isOnlyNear).toBe(false);
  expect(rest).toEqual(['storeRequests: has too many items']);
});

it('knows where only names are nearly those of others', () => {
  const message = '"Hafen" (entry 9) has nearly this name; ignoreNearDups stores it all the same';
  const said = refusalsOf({ fields: [{ path: 'storeRequests.0.value', message }] }, [cell(5, 7)]);
  expect(said.isOnlyNear).toBe(true);
  expect([...said.faults.values()]).toEqual(['"Hafen" (entry 9) has nearly this name']);
});

it('shows long texts where they begin to differ, and says what is easily overlooked', () => {
  const long = 'x'.repeat(1000);
  const [before, after] = excerpts(`${long}one${long}`, `${long}two${long}`);
  expect(before).toContain('one');
  expect(after).toContain('two');
  expect(before.length).toBeLessThan(200);
  expect(excerpts('a', 'b')).toEqual(['a', 'b']);
  expect(subtleDifference('Hafen', 'hafen')).toBe('Only the case of letters differs');
  expect(subtleDifference('a b', 'a  b')).toBe('Only spaces differ');
  expect(subtleDifference('a', 'b')).toBeUndefined();
  expect(subtleDifference('', ' ')).toBeUndefined();
});
