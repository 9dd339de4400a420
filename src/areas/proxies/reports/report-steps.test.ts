import { expect, it } from 'vitest';
import { formatOutcome } from '../../../../contract/rules/people/acting-steps.ts';
import {
  countSteps,
  formatParameterName,
  formatDuration,
  parseParameters,
  groupSteps,
  getUserId,
} from './report-steps.ts';

it('parses parameters and omits paging', () => {
  expect(
    parseParameters('userId=7 pageNumber=2 pageSize=1000 modifiedSince=2026-03-01T10:00:00Z q=ann marsh'),
  ).toEqual([
    { name: 'userId', value: '7' },
    { name: 'q', value: 'ann marsh' },
  ]);
  expect(parseParameters('query={"Name":{"$contains":"a=b"}} limit=5')).toHaveLength(2);
  expect(parseParameters('')).toEqual([]);
});

it('recognizes parameters that hold a user id', () => {
  expect(getUserId({ name: 'userId', value: '7' })).toBe(7);
  expect(getUserId({ name: 'groupId', value: '7' })).toBeUndefined();
  expect(getUserId({ name: 'userId', value: 'x' })).toBeUndefined();
  expect(formatParameterName('licenseTypeId')).toBe('license type id');
});

it.each([
  [200, 'Done', false],
  [403, 'Refused (403)', true],
  [404, 'Failed (404)', true],
  [null, 'Unknown: the request was interrupted', true],
])('formats the outcome of status %s', (status, text, isFailure) => {
  expect(formatOutcome({ status })).toEqual({ text, isFailure });
});

it('counts reads, changes and refused requests', () => {
  const step = { date: '', operationId: '', summary: '', subject: '', isWrite: false, status: 200 };
  const steps = [step, { ...step, isWrite: true }, { ...step, isWrite: true, status: 403 }];
  expect(countSteps(steps)).toEqual({ reads: 1, writes: 2, refused: 1 });
});

it.each([
  ['10:00:00', '10:00:20', 'under a minute'],
  ['10:00:00', '10:20:30', '20 min'],
  ['10:00:00', '12:00:10', '2 h'],
  ['10:00:00', '12:05:00', '2 h 5 min'],
])('formats the duration from %s to %s as %s', (from, to, text) => {
  expect(formatDuration(`2026-03-01T${from}Z`, `2026-03-01T${to}Z`)).toBe(text);
});

it('combines repeated and background reads, and keeps every change', () => {
  const step = {
    date: '2026-03-01T10:00:00Z',
    operationId: 'searchUsers',
    summary: 'Search users',
    subject: 'q=ann pageNumber=1',
    isWrite: false,
    status: 200,
  };
  const change = { ...step, operationId: 'updateUser', isWrite: true };
  const read = { ...step, operationId: 'getUser', subject: 'userId=7' };
  const lines = groupSteps([
    step,
    { ...step, subject: 'q=ann pageNumber=2' },
    read,
    change,
    change,
    step,
    read,
  ]);
  expect(lines.map(({ operationId, repeatCount }) => [operationId, repeatCount])).toEqual([
    ['searchUsers', 3],
    ['getUser', 1],
    ['updateUser', 1],
    ['updateUser', 1],
    ['getUser', 1],
  ]);
});
