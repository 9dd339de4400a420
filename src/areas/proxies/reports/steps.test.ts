import { expect, it } from 'vitest';
import { countsOf, inWords, lasted, outcomeOf, partsOf, toldSteps, userIn } from './steps.ts';

it('takes the parameters apart, and leaves the turning of pages out', () => {
  expect(
    partsOf('userId=7 pageNumber=2 pageSize=1000 modifiedSince=2026-03-01T10:00:00Z q=ann marsh'),
  ).toEqual([
    { name: 'userId', value: '7' },
    { name: 'q', value: 'ann marsh' },
  ]);
  expect(partsOf('query={"Name":{"$contains":"a=b"}} limit=5')).toHaveLength(2);
  expect(partsOf('')).toEqual([]);
});

it('knows which of them names a user', () => {
  expect(userIn({ name: 'userId', value: '7' })).toBe(7);
  expect(userIn({ name: 'groupId', value: '7' })).toBeUndefined();
  expect(userIn({ name: 'userId', value: 'x' })).toBeUndefined();
  expect(inWords('licenseTypeId')).toBe('license type id');
});

it.each([
  [200, 'Done', false],
  [403, 'Refused (403)', true],
  [404, 'Failed (404)', true],
  [null, 'Not known: it was broken off', true],
])('says what came of %s', (status, words, bad) => {
  expect(outcomeOf({ status })).toEqual({ words, bad });
});

it('counts what was read, changed and refused', () => {
  const step = { date: '', operationId: '', summary: '', subject: '', isWrite: false, status: 200 };
  const steps = [step, { ...step, isWrite: true }, { ...step, isWrite: true, status: 403 }];
  expect(countsOf(steps)).toEqual({ reads: 1, writes: 2, refused: 1 });
});

it.each([
  ['10:00:00', '10:00:20', 'under a minute'],
  ['10:00:00', '10:20:30', '20 min'],
  ['10:00:00', '12:00:10', '2 h'],
  ['10:00:00', '12:05:00', '2 h 5 min'],
])('from %s to %s is %s', (from, to, words) => {
  expect(lasted(`2026-03-01T${from}Z`, `2026-03-01T${to}Z`)).toBe(words);
});

it('tells in one line what was read again at once or by the console itself, and every change', () => {
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
  const told = toldSteps([
    step,
    { ...step, subject: 'q=ann pageNumber=2' },
    read,
    change,
    change,
    step,
    read,
  ]);
  expect(told.map(({ operationId, times }) => [operationId, times])).toEqual([
    ['searchUsers', 3],
    ['getUser', 1],
    ['updateUser', 1],
    ['updateUser', 1],
    ['getUser', 1],
  ]);
});
