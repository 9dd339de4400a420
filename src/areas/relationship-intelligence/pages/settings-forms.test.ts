import { expect, test } from 'vitest';
import { exclusionSchema, periodsSchema } from './settings-forms.ts';

const ADDRESS_OR_DOMAIN =
  'Enter an address such as ann@example.com, or a domain with its ending, such as example.com';

test.each([
  ['example.com', 'example.com'],
  [' @Example.COM ', 'example.com'],
  ['Ann@Mail.Example.com', 'ann@mail.example.com'],
])('%s is excluded as %s', (typed, value) => {
  expect(exclusionSchema.parse({ value: typed })).toEqual({ value });
});

test.each(['example', 'ann@example', 'ann@@example.com', 'a b.example', '.com', 'x'])(
  '%s is no address and no domain',
  (typed) => {
    const { error } = exclusionSchema.safeParse({ value: typed });
    expect(error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual([
      ['value', ADDRESS_OR_DOMAIN],
    ]);
  },
);

const periods = (days: string, retention: string, domains: string) =>
  periodsSchema.safeParse({
    historicalSyncPeriodDays: days,
    retentionDays: retention,
    internalDomains: domains,
  });

test('periods and domains become what the service takes', () => {
  expect(periods('365', ' ', 'Example.com\nexample.com, mail.example.org;').data).toEqual({
    historicalSyncPeriodDays: 365,
    retentionDays: null,
    internalDomains: ['example.com', 'mail.example.org'],
  });
  expect(periods('0', '62', '').data).toEqual({
    historicalSyncPeriodDays: 0,
    retentionDays: 62,
    internalDomains: [],
  });
  expect(periods('3650', '36500', '').success).toBe(true);
});

test('each wrong field has a sentence of its own', () => {
  const { error } = periods('3651', '61', 'example.com example');
  expect(error?.issues.map(({ path, message }) => [path.join('.'), message])).toEqual([
    ['historicalSyncPeriodDays', 'Enter a whole number of days from 0 to 3,650'],
    ['retentionDays', 'Enter a whole number of days from 62 to 36,500, or nothing to keep the items'],
    ['internalDomains', 'example is no domain. Write it with its ending and without @, such as example.com'],
  ]);
  for (const days of ['', '1.5', '-1', 'ten']) expect(periods(days, '', '').success).toBe(false);
  const many = Array.from({ length: 1001 }, (_, at) => `d${at}.example`).join('\n');
  expect(periods('1', '', many).error?.issues[0]?.message).toBe('Enter at most 1,000 domains');
});
