import { expect, test } from 'vitest';
import type { LicenseSeats } from '../../../../contract/generated/types.gen.ts';
import { formatForecast, getForecastDays } from './forecast.ts';

const NOW: LicenseSeats = { date: '2026-11-23', standard: 10, limited: 2, free: 3, none: 1, billable: 12 };
const on = (date: string, change: Partial<LicenseSeats>): LicenseSeats => ({ ...NOW, ...change, date });

test('says how many memberships end and what remains billable', () => {
  expect(formatForecast(NOW, [])).toBeUndefined();
  expect(formatForecast(NOW, [on('2026-11-24', {}), on('2026-11-25', {})])).toBe(
    'No temporary membership with a license ends in the next 2 days.',
  );
  expect(
    formatForecast(NOW, [
      on('2026-11-24', {}),
      on('2026-11-25', { standard: 9, free: 2, none: 3, billable: 11 }),
    ]),
  ).toMatch(
    /^Forecast: 2 temporary memberships with a license end in the next 2 days, unless extended\. 11 billable on .*2026.* \(−1\)\.$/,
  );
});

test('reaches as far as the past that is shown, at most 90 days', () => {
  expect([30, 90, 365].map(getForecastDays)).toEqual([30, 90, 90]);
});
