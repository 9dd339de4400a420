import { expect, test } from 'vitest';
import { queryToKeep, questionOf, questionSince, toView } from './question.ts';
import { between, boundsOf, faultOf, isCut, reachOf, widened } from './range.ts';
import {
  cleared,
  DEFAULT_VIEW,
  isNarrowed,
  readMoment,
  readView,
  withKind,
  withTypes,
  writeMoment,
  writeView,
} from './view.ts';
import type { ActivityView } from './view.ts';

const NOW = Date.parse('2026-11-21T08:30:00.000Z');
const HOUR = 3_600_000;
const asked: ActivityView = {
  range: { from: NOW - 5 * HOUR, to: NOW - HOUR },
  people: [1042, 7],
  principals: [3],
  types: [2, 5],
  sources: [3],
  kind: undefined,
  address: '2001:db8::/32',
  onlyProxy: true,
};

test('an address says the whole question and is read as it was written', () => {
  expect(writeView(asked)).toEqual({
    from: '20261121T0330Z',
    to: '20261121T0730Z',
    people: '1042-7',
    for: 3,
    type: '2-5',
    source: 3,
    ip: '2001:db8::/32',
    proxy: 'only',
  });
  expect(readView(writeView(asked))).toEqual(asked);
  for (const preset of ['today', 'yesterday', '30', '90'] as const) {
    const view = { ...DEFAULT_VIEW, range: { preset } };
    expect(readView(writeView(view))).toEqual(view);
  }
  expect(writeView(DEFAULT_VIEW)).toEqual({});
});

test('what nobody could have meant gives way to the default', () => {
  expect(
    readView({ range: '8', from: 'x', people: 'a-0-5', type: '11-0-2', source: 9, kind: 5, proxy: true }),
  ).toEqual({ ...DEFAULT_VIEW, people: [5], types: [2] });
  expect(readView({ from: '20261121T0730Z', to: '20261121T0330Z' }).range).toEqual({ preset: '7' });
});

test('moments keep their seconds and thousandths', () => {
  for (const at of [NOW, NOW + 7000, NOW + 123]) expect(readMoment(writeMoment(at))).toBe(at);
  expect(writeMoment(NOW + 7123)).toBe('20261121T083007.123Z');
  expect(readMoment('20261399T0000Z')).toBeUndefined();
});

test('the kind 0 of exports is a value, and asks for exports alone', () => {
  const view = readView({ kind: 0, type: '1-2' });
  expect(view).toMatchObject({ kind: 0, types: [8] });
  expect(writeView(view)).toEqual({ kind: 0 });
  expect(questionOf(view, boundsOf(view.range, NOW, 'UTC'), NOW).query).toMatchObject({
    activity: 8,
    exportDataType: 0,
  });
  expect(withTypes(view, [8, 1])).toMatchObject({ kind: undefined, types: [8, 1] });
  expect(withKind({ ...DEFAULT_VIEW, types: [1] }, 2)).toMatchObject({ kind: 2, types: [8] });
  expect(withKind(view, undefined)).toMatchObject({ kind: undefined, types: [8] });
});

test('presets are periods by the clock of the reader', () => {
  const zone = 'America/New_York';
  expect(boundsOf({ preset: 'today' }, NOW, zone)).toEqual({
    from: Date.parse('2026-11-21T05:00:00Z'),
    to: NOW,
    open: true,
  });
  expect(boundsOf({ preset: 'yesterday' }, NOW, zone)).toEqual({
    from: Date.parse('2026-11-20T05:00:00Z'),
    to: Date.parse('2026-11-21T05:00:00Z'),
    open: false,
  });
  expect(boundsOf({ preset: '7' }, NOW, zone)).toEqual({ from: NOW - 168 * HOUR, to: NOW, open: true });
  expect(boundsOf({ from: NOW - HOUR, to: undefined }, NOW, zone).open).toBe(true);
  expect(boundsOf({ from: NOW - HOUR, to: NOW + HOUR }, NOW, zone)).toEqual({
    from: NOW - HOUR,
    to: NOW,
    open: true,
  });
});

const question = (view: ActivityView, now = NOW) => questionOf(view, boundsOf(view.range, now, 'UTC'), now);

test('the service is asked for no more than it reaches', () => {
  const ninety = question({ ...DEFAULT_VIEW, range: { preset: '90' } });
  expect(ninety).toMatchObject({ query: { dateTo: '2026-11-21T08:30:00.000Z' }, before: undefined });
  expect(ninety.query.dateFrom).toBeUndefined();
  expect(ninety.from).toBe(Date.parse('2026-08-23T00:00:00Z'));
  expect(question({ ...DEFAULT_VIEW, range: { preset: '30' } }).query).toEqual({
    dateFrom: '2026-10-22T08:30:00.000Z',
    dateTo: '2026-11-21T08:30:00.000Z',
  });
});

test('a period shorter than a day is asked for with the day before it, which is counted apart', () => {
  const filters = {
    userIds: [1042, 7],
    principalUserIds: [3],
    activities: [2, 5],
    source: 3,
    ipAddress: '2001:db8::/32',
    onlyProxy: true,
  };
  expect(question(asked)).toEqual({
    query: { ...filters, dateFrom: '2026-11-20T03:30:00.000Z', dateTo: '2026-11-21T07:30:00.000Z' },
    before: { ...filters, dateFrom: '2026-11-20T03:30:00.000Z', dateTo: '2026-11-21T03:30:00.000Z' },
    from: NOW - 5 * HOUR,
    to: NOW - HOUR,
  });
  const reach = reachOf(NOW);
  const first = question({ ...DEFAULT_VIEW, range: { from: reach + HOUR, to: reach + 2 * HOUR } });
  expect(first.before).toBeUndefined();
  expect(first.query).toEqual({ dateTo: '2026-08-24T00:00:00.000Z' });
  expect(questionSince(DEFAULT_VIEW, NOW)).toEqual({ dateFrom: '2026-11-20T08:30:00.000Z' });
});

test('a question that is kept has a day at least, and is the view that asked it', () => {
  const bounds = { from: NOW - 48 * HOUR, to: NOW - HOUR, open: false };
  const kept = queryToKeep(asked, bounds, NOW);
  expect(toView(kept)).toEqual({ ...asked, range: { from: bounds.from, to: bounds.to } });
  expect(queryToKeep(DEFAULT_VIEW, { from: NOW - HOUR, to: NOW, open: true }, NOW)).toEqual({
    dateFrom: '2026-11-20T08:30:00.000Z',
  });
  expect(toView({ exportDataType: 0, activity: 8 })).toMatchObject({
    kind: 0,
    types: [8],
    range: { preset: '90' },
  });
});

test('a period between two moments says what is wrong with it', () => {
  expect(faultOf(undefined, undefined, NOW)).toBe('Choose when it begins');
  expect(faultOf(reachOf(NOW) - 1, undefined, NOW)).toBe('The report reaches back 90 days');
  expect(faultOf(NOW + 1, undefined, NOW)).toBe('This is in the future');
  expect(faultOf(NOW - 2, NOW - 2, NOW)).toBe('The end must come after the beginning');
  expect(faultOf(NOW - 2, undefined, NOW)).toBeUndefined();
});

test('zooming out widens both sides as far as there is something', () => {
  expect(widened({ from: NOW - 10 * HOUR, to: NOW - 6 * HOUR, open: false }, NOW)).toEqual({
    from: NOW - 12 * HOUR,
    to: NOW - 4 * HOUR,
  });
  expect(widened({ from: NOW - 4 * HOUR, to: NOW, open: true }, NOW)).toEqual({
    from: NOW - 6 * HOUR,
    to: undefined,
  });
  expect(between(NOW - HOUR, NOW + HOUR, NOW)).toEqual({ from: NOW - HOUR, to: undefined });
});

test('clearing keeps the period', () => {
  expect(isNarrowed(asked)).toBe(true);
  expect(isNarrowed(cleared(asked))).toBe(false);
  expect(cleared(asked).range).toBe(asked.range);
});

test('what is older than the report is cut off and said so; a period wholly before it is asked for as it is', () => {
  const first = reachOf(NOW);
  const cut = { from: first - 48 * HOUR, to: first + 48 * HOUR };
  expect(isCut(cut, NOW)).toBe(true);
  expect(boundsOf(cut, NOW, 'UTC').from).toBe(first);
  expect(question({ ...DEFAULT_VIEW, range: cut }).query.dateFrom).toBeUndefined();
  const gone = { from: first - 48 * HOUR, to: first - 42 * HOUR };
  expect(isCut(gone, NOW)).toBe(false);
  const { query } = question({ ...DEFAULT_VIEW, range: gone });
  expect(query).toEqual({
    dateFrom: new Date(gone.from).toISOString(),
    dateTo: new Date(gone.from + 24 * HOUR).toISOString(),
  });
});
