import { expect, it } from 'vitest';
import { getPercentile, listPages, nameRequest, parseQualityReport, summarizeRequests } from './quality.ts';

const url = (path: string) => `https://console.example${path}`;

it('reads a report, and none from other data', () => {
  const report = {
    measuredAt: '2026-11-20T10:00:00.000Z',
    browser: 'Chromium 140',
    pages: [{ path: '/users', isAccessible: true, layoutShift: 0.001, readyMs: 210 }],
    keyboard: [{ name: 'creates users', passed: true }],
  };
  expect(parseQualityReport(report)).toEqual(report);
  for (const other of [undefined, {}, { ...report, pages: [] }, { ...report, keyboard: 'all' }])
    expect(parseQualityReport(other)).toBeUndefined();
});

it('adds the result of Firefox to each page that was visited there', () => {
  const report = {
    measuredAt: '2026-11-20T10:00:00.000Z',
    browser: 'Chromium 140',
    pages: ['/users', '/groups', '/jobs'].map((path) => ({ path, isAccessible: true })),
    keyboard: [],
    firefox: {
      browser: 'Firefox 153',
      pages: [
        { path: '/groups', passed: false },
        { path: '/users', passed: true },
      ],
      journeys: [{ name: 'creates a user', passed: true }],
    },
  };
  expect(parseQualityReport(report)).toEqual(report);
  expect(listPages(report).map(({ worksInFirefox }) => worksInFirefox)).toEqual([true, false, undefined]);
});

it('computes percentiles of the values that were measured', () => {
  const values = Array.from({ length: 100 }, (_, at) => 100 - at);
  expect([getPercentile(values, 0.5), getPercentile(values, 0.95)]).toEqual([50, 95]);
  expect([getPercentile([7], 0.95), getPercentile([], 0.95)]).toEqual([7, undefined]);
});

it('groups the requests of the API by path, slowest first', () => {
  expect(nameRequest(url('/api/rest/v1/management/user/17/groups?pageSize=5'))).toBe(
    'management/user/{id}/groups',
  );
  const times = summarizeRequests([
    { name: url('/api/rest/v1/management/user/1'), duration: 10 },
    { name: url('/api/rest/v1/management/user/2'), duration: 30 },
    { name: url('/api/rest/v1/management/groups'), duration: 90 },
    { name: url('/api/rest/v1/management/groups'), duration: 0 },
    { name: url('/assets/core.js'), duration: 900 },
  ]);
  expect(times).toEqual({
    p95Ms: 90,
    parts: [
      { name: 'management/groups', count: 1, medianMs: 90, p95Ms: 90 },
      { name: 'management/user/{id}', count: 2, medianMs: 10, p95Ms: 30 },
    ],
  });
  expect(summarizeRequests([])).toEqual({ p95Ms: undefined, parts: [] });
});
