import { expect, test } from 'vitest';
import {
  createPeriod,
  resolvePeriod,
  getPeriodError,
  startsBeforeReport,
  getReportStart,
  widenPeriod,
} from './period.ts';
import { buildInvestigationQuery, buildReportQuery, buildNewRowsQuery, toView } from './report-query.ts';
import {
  clearFilters,
  DEFAULT_VIEW,
  isFiltered,
  parseTimestamp,
  parseActivityView,
  setExported,
  setExportType,
  setTypes,
  serializeTimestamp,
  serializeActivityView,
} from './view.ts';
import type { ActivityView } from './view.ts';

const NOW = Date.parse('2026-11-21T08:30:00.000Z');
const HOUR = 3_600_000;
const customView: ActivityView = {
  period: { from: NOW - 5 * HOUR, to: NOW - HOUR },
  people: [1042, 7],
  principals: [3],
  types: [2, 5],
  sources: [3],
  exportType: undefined,
  exported: '',
  address: '2001:db8::/32',
  onlyProxy: true,
};

test('a view survives serializing and parsing', () => {
  expect(serializeActivityView(customView)).toEqual({
    from: '20261121T0330Z',
    to: '20261121T0730Z',
    people: '1042-7',
    for: 3,
    type: '2-5',
    source: 3,
    ip: '2001:db8::/32',
    proxy: 'only',
  });
  expect(parseActivityView(serializeActivityView(customView))).toEqual(customView);
  for (const preset of ['today', 'yesterday', '30', '90'] as const) {
    const view = { ...DEFAULT_VIEW, period: { preset } };
    expect(parseActivityView(serializeActivityView(view))).toEqual(view);
  }
  expect(serializeActivityView(DEFAULT_VIEW)).toEqual({});
});

test('what was exported limits the types to exports, in the URL and in the query', () => {
  const view = setExported({ ...customView, types: [2] }, 'Companies');
  expect(view.types).toEqual([8]);
  expect(serializeActivityView(view)).toMatchObject({ exported: 'Companies' });
  expect(serializeActivityView(view)).not.toHaveProperty('type');
  expect(parseActivityView(serializeActivityView(view))).toEqual(view);
  const bounds = { from: NOW - 48 * HOUR, to: NOW - HOUR, isOpen: false };
  const query = buildInvestigationQuery(view, bounds, NOW);
  expect(query).toMatchObject({ activity: 8, exportedType: 'Companies' });
  expect(toView(query)).toMatchObject({ exported: 'Companies', types: [8] });
  expect(setTypes(view, [1]).exported).toBe('');
});

test('invalid search parameters fall back to the default', () => {
  expect(
    parseActivityView({
      range: '8',
      from: 'x',
      people: 'a-0-5',
      type: '11-0-2',
      source: 9,
      kind: 5,
      proxy: true,
    }),
  ).toEqual({ ...DEFAULT_VIEW, people: [5], types: [2] });
  expect(parseActivityView({ from: '20261121T0730Z', to: '20261121T0330Z' }).period).toEqual({ preset: '7' });
});

test('timestamps keep seconds and milliseconds', () => {
  for (const at of [NOW, NOW + 7000, NOW + 123]) expect(parseTimestamp(serializeTimestamp(at))).toBe(at);
  expect(serializeTimestamp(NOW + 7123)).toBe('20261121T083007.123Z');
  expect(parseTimestamp('20261399T0000Z')).toBeUndefined();
  expect(parseTimestamp('20260231T0000Z')).toBeUndefined();
});

test('export type 0 is a value and limits the types to exports', () => {
  const view = parseActivityView({ kind: 0, type: '1-2' });
  expect(view).toMatchObject({ exportType: 0, types: [8] });
  expect(serializeActivityView(view)).toEqual({ kind: 0 });
  expect(buildReportQuery(view, resolvePeriod(view.period, NOW, 'UTC'), NOW).query).toMatchObject({
    activity: 8,
    exportDataType: 0,
  });
  expect(setTypes(view, [8, 1])).toMatchObject({ exportType: undefined, types: [8, 1] });
  expect(setExportType({ ...DEFAULT_VIEW, types: [1] }, 2)).toMatchObject({ exportType: 2, types: [8] });
  expect(setExportType(view, undefined)).toMatchObject({ exportType: undefined, types: [8] });
});

test('presets are resolved in the time zone of the browser', () => {
  const zone = 'America/New_York';
  expect(resolvePeriod({ preset: 'today' }, NOW, zone)).toEqual({
    from: Date.parse('2026-11-21T05:00:00Z'),
    to: NOW,
    isOpen: true,
  });
  expect(resolvePeriod({ preset: 'yesterday' }, NOW, zone)).toEqual({
    from: Date.parse('2026-11-20T05:00:00Z'),
    to: Date.parse('2026-11-21T05:00:00Z'),
    isOpen: false,
  });
  expect(resolvePeriod({ preset: '7' }, NOW, zone)).toEqual({
    from: NOW - 168 * HOUR,
    to: NOW,
    isOpen: true,
  });
  expect(resolvePeriod({ from: NOW - HOUR, to: undefined }, NOW, zone).isOpen).toBe(true);
  expect(resolvePeriod({ from: NOW - HOUR, to: NOW + HOUR }, NOW, zone)).toEqual({
    from: NOW - HOUR,
    to: NOW,
    isOpen: true,
  });
});

const buildQuery = (view: ActivityView, now = NOW) =>
  buildReportQuery(view, resolvePeriod(view.period, now, 'UTC'), now);

test('a query does not start before the report', () => {
  const fullPeriod = buildQuery({ ...DEFAULT_VIEW, period: { preset: '90' } });
  expect(fullPeriod).toMatchObject({
    query: { dateTo: '2026-11-21T08:30:00.000Z' },
    precedingDay: undefined,
  });
  expect(fullPeriod.query.dateFrom).toBeUndefined();
  expect(fullPeriod.from).toBe(Date.parse('2026-08-23T00:00:00Z'));
  expect(buildQuery({ ...DEFAULT_VIEW, period: { preset: '30' } }).query).toEqual({
    dateFrom: '2026-10-22T08:30:00.000Z',
    dateTo: '2026-11-21T08:30:00.000Z',
  });
});

test('a period shorter than a day is queried with the preceding day, which is counted separately', () => {
  const filters = {
    userIds: [1042, 7],
    principalUserIds: [3],
    activities: [2, 5],
    source: 3,
    ipAddress: '2001:db8::/32',
    onlyProxy: true,
  };
  expect(buildQuery(customView)).toEqual({
    query: { ...filters, dateFrom: '2026-11-20T03:30:00.000Z', dateTo: '2026-11-21T07:30:00.000Z' },
    precedingDay: { ...filters, dateFrom: '2026-11-20T03:30:00.000Z', dateTo: '2026-11-21T03:30:00.000Z' },
    from: NOW - 5 * HOUR,
    to: NOW - HOUR,
  });
  const reach = getReportStart(NOW);
  const first = buildQuery({ ...DEFAULT_VIEW, period: { from: reach + HOUR, to: reach + 2 * HOUR } });
  expect(first.precedingDay).toBeUndefined();
  expect(first.query).toEqual({ dateTo: '2026-08-24T00:00:00.000Z' });
  expect(buildNewRowsQuery(DEFAULT_VIEW, NOW)).toEqual({ dateFrom: '2026-11-20T08:30:00.000Z' });
});

test('an investigation covers at least a day and can be converted back to its view', () => {
  const bounds = { from: NOW - 48 * HOUR, to: NOW - HOUR, isOpen: false };
  const saved = buildInvestigationQuery(customView, bounds, NOW);
  expect(toView(saved)).toEqual({ ...customView, period: { from: bounds.from, to: bounds.to } });
  expect(buildInvestigationQuery(DEFAULT_VIEW, { from: NOW - HOUR, to: NOW, isOpen: true }, NOW)).toEqual({
    dateFrom: '2026-11-20T08:30:00.000Z',
  });
  expect(toView({ exportDataType: 0, activity: 8 })).toMatchObject({
    exportType: 0,
    types: [8],
    period: { preset: '90' },
  });
});

test('a custom period is validated', () => {
  expect(getPeriodError(undefined, undefined, NOW)).toBe('Enter a start');
  expect(getPeriodError(getReportStart(NOW) - 1, undefined, NOW)).toBe('The report covers the last 90 days');
  expect(getPeriodError(NOW + 1, undefined, NOW)).toBe('The start is in the future');
  expect(getPeriodError(NOW - 2, NOW - 2, NOW)).toBe('The end must be after the start');
  expect(getPeriodError(NOW - 2, undefined, NOW)).toBeUndefined();
});

test('zooming out widens the period within the report', () => {
  expect(widenPeriod({ from: NOW - 10 * HOUR, to: NOW - 6 * HOUR, isOpen: false }, NOW)).toEqual({
    from: NOW - 12 * HOUR,
    to: NOW - 4 * HOUR,
  });
  expect(widenPeriod({ from: NOW - 4 * HOUR, to: NOW, isOpen: true }, NOW)).toEqual({
    from: NOW - 6 * HOUR,
    to: undefined,
  });
  expect(createPeriod(NOW - HOUR, NOW + HOUR, NOW)).toEqual({ from: NOW - HOUR, to: undefined });
});

test('clearing the filters keeps the period', () => {
  expect(isFiltered(customView)).toBe(true);
  expect(isFiltered(clearFilters(customView))).toBe(false);
  expect(clearFilters(customView).period).toBe(customView.period);
});

test('a period is cut off at the start of the report, unless it lies wholly before it', () => {
  const first = getReportStart(NOW);
  const cut = { from: first - 48 * HOUR, to: first + 48 * HOUR };
  expect(startsBeforeReport(cut, NOW)).toBe(true);
  expect(resolvePeriod(cut, NOW, 'UTC').from).toBe(first);
  expect(buildQuery({ ...DEFAULT_VIEW, period: cut }).query.dateFrom).toBeUndefined();
  const expired = { from: first - 48 * HOUR, to: first - 42 * HOUR };
  expect(startsBeforeReport(expired, NOW)).toBe(false);
  const { query } = buildQuery({ ...DEFAULT_VIEW, period: expired });
  expect(query).toEqual({
    dateFrom: new Date(expired.from).toISOString(),
    dateTo: new Date(expired.from + 24 * HOUR).toISOString(),
  });
});
