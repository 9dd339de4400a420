import { expect, test } from 'vitest';
import type { Counts } from '../../../directory/facets.ts';
import { countsFor, isNarrowed, readView, toQuery, widened, writeView } from './view.ts';
import type { LicensesView } from './view.ts';

const DEFAULT = readView({});
const FULL: LicensesView = {
  range: 365,
  q: '12, ada',
  license: ['1', '4'],
  billable: ['yes'],
  status: ['inactive'],
  group: ['7'],
  sort: { by: 'license', descending: true },
  hidden: ['email'],
};

test.each([
  ['the default', DEFAULT],
  ['everything at once', FULL],
])('%s comes back from its address', (_name, view) => {
  expect(readView({ ...writeView(view) })).toEqual(view);
});

test('what is so by default is not in the address', () => {
  expect(writeView(DEFAULT)).toEqual({});
  expect(isNarrowed(DEFAULT)).toBe(false);
});

test('what makes no sense falls back alone', () => {
  expect(
    readView({ range: 31, license: '9-2', billable: 'perhaps', sort: 'shoe', q: 42, hide: 'x-email' }),
  ).toEqual({
    ...DEFAULT,
    license: ['2'],
    q: '42',
    hidden: ['email'],
  });
});

test('clearing the filters leaves the chart and the order', () => {
  expect(widened(FULL)).toEqual({ ...DEFAULT, range: 365, sort: FULL.sort, hidden: FULL.hidden });
  expect(isNarrowed(FULL)).toBe(true);
});

test.each([
  [[], [], []],
  [[], ['yes'], ['1', '2']],
  [[], ['no'], ['3', '4']],
  [['1', '4'], ['yes'], ['1']],
  [['1', '4'], [], ['1', '4']],
  [[], ['yes', 'no'], []],
])('types %j and billable %j ask the directory for %j', (license, billable, asked) => {
  expect(toQuery({ ...DEFAULT, license, billable }).filters.license).toEqual(asked);
});

test('what excludes one another shows nobody, not everybody', () => {
  expect(toQuery({ ...DEFAULT, license: ['3'], billable: ['yes'] }).filters.license).toEqual(['0']);
});

test('each value says how many it would show beside the other filter', () => {
  const counts: Counts = {
    status: { active: 9 },
    license: { 1: 5, 2: 3, 3: 1 },
    group: {},
    twoFactor: {},
    addresses: {},
    changed: {},
  };
  const shown = countsFor({ ...DEFAULT, license: ['1', '3'], billable: ['yes'] }, counts);
  expect(shown.license).toEqual({ 1: 5, 2: 3, 3: 0, 4: 0 });
  expect(shown.billable).toEqual({ yes: 5, no: 1 });
  expect(shown.status).toEqual({ active: 9 });
});
