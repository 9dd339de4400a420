import { expect, test } from 'vitest';
import type { FacetCounts } from '../../../directory/engine/directory-query.ts';
import {
  getFilterCounts,
  isFiltered,
  parseLicensesView,
  toDirectoryQuery,
  clearFilters,
  serializeLicensesView,
} from './view.ts';
import type { LicensesView } from './view.ts';

const DEFAULT = parseLicensesView({});
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
])('%s survives serializing and parsing', (_name, view) => {
  expect(parseLicensesView({ ...serializeLicensesView(view) })).toEqual(view);
});

test('omits defaults from the URL', () => {
  expect(serializeLicensesView(DEFAULT)).toEqual({});
  expect(isFiltered(DEFAULT)).toBe(false);
});

test('falls back to the default for each invalid parameter', () => {
  expect(
    parseLicensesView({
      range: 31,
      license: '9-2',
      billable: 'perhaps',
      sort: 'shoe',
      q: 42,
      hide: 'x-email',
    }),
  ).toEqual({
    ...DEFAULT,
    license: ['2'],
    q: '42',
    hidden: ['email'],
  });
});

test('clearing the filters keeps chart range and order', () => {
  expect(clearFilters(FULL)).toEqual({ ...DEFAULT, range: 365, sort: FULL.sort, hidden: FULL.hidden });
  expect(isFiltered(FULL)).toBe(true);
});

test.each([
  [[], [], []],
  [[], ['yes'], ['1', '2']],
  [[], ['no'], ['3', '4']],
  [['1', '4'], ['yes'], ['1']],
  [['1', '4'], [], ['1', '4']],
  [[], ['yes', 'no'], []],
])('types %j and billable %j query the directory for %j', (license, billable, licenseFilter) => {
  expect(toDirectoryQuery({ ...DEFAULT, license, billable }).filters.license).toEqual(licenseFilter);
});

test('contradictory filters match nobody instead of everyone', () => {
  expect(toDirectoryQuery({ ...DEFAULT, license: ['3'], billable: ['yes'] }).filters.license).toEqual(['0']);
});

test('counts each value with the other filter applied', () => {
  const counts: FacetCounts = {
    status: { active: 9 },
    license: { 1: 5, 2: 3, 3: 1 },
    group: {},
    twoFactor: {},
    addresses: {},
    changed: {},
  };
  const shown = getFilterCounts({ ...DEFAULT, license: ['1', '3'], billable: ['yes'] }, counts);
  expect(shown.license).toEqual({ 1: 5, 2: 3, 3: 0, 4: 0 });
  expect(shown.billable).toEqual({ yes: 5, no: 1 });
  expect(shown.status).toEqual({ active: 9 });
});
