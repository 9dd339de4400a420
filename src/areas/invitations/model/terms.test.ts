import { describe, expect, test } from 'vitest';
import { against, endOf, extendedEnd } from './acts.ts';
import { endsSoon, termWords } from './terms.ts';

const now = new Date('2026-12-17T12:00:00.000Z');
const end = '2026-12-21T12:00:00.000Z';
const past = '2026-12-10T12:00:00.000Z';
const permanent = { type: 0, duration: null, status: 'accepted', membershipExpiresDate: null } as const;
const pending = { type: 1, duration: 30, status: 'pending', membershipExpiresDate: null } as const;
const running = { ...pending, status: 'accepted', membershipExpiresDate: end } as const;
const over = { ...running, membershipExpiresDate: past } as const;

describe('how long the membership is', () => {
  test.each([
    [permanent, 'Permanent'],
    [pending, '30 days from acceptance'],
    [{ ...pending, duration: 1 } as const, '1 day from acceptance'],
    [{ ...pending, status: 'revoked' } as const, '30 days'],
    [{ ...running, membershipExpiresDate: null } as const, '30 days, no longer running'],
  ])('%#', (invitation, words) => {
    expect(termWords(invitation, now)).toBe(words);
  });

  test('an end is told with its distance', () => {
    expect(termWords(running, now)).toMatch(/^Ends .*2026, in 4 days$/);
    expect(termWords(over, now)).toMatch(/^Ended .*2026, 7 days ago$/);
  });

  test('only an end ahead and near stands out', () => {
    expect([running, over, permanent, pending].map((one) => endsSoon(one, now))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('what can be done', () => {
  const states = {
    pending,
    accepted: running,
    over,
    permanent,
    expired: { ...pending, status: 'expired' },
    revoked: { ...pending, status: 'revoked' },
  } as const;
  const able = (act: 'resend' | 'revoke' | 'extend') =>
    Object.entries(states).flatMap(([name, one]) => (against(act, one) === undefined ? [name] : []));

  test('sending again: pending and expired ones', () =>
    expect(able('resend')).toEqual(['pending', 'expired']));
  test('revoking: pending ones', () => expect(able('revoke')).toEqual(['pending']));
  test('extending: pending links and temporary memberships, ended ones too', () =>
    expect(able('extend')).toEqual(['pending', 'accepted', 'over']));
});

test('an extension moves the link of a pending one and the membership of an accepted one', () => {
  const expiresDate = '2026-12-18T12:00:00.000Z';
  expect(endOf({ ...pending, expiresDate })).toBe(expiresDate);
  expect(endOf({ ...running, expiresDate })).toBe(end);
  const to = (one: typeof running | typeof over | typeof pending) =>
    extendedEnd({ ...one, expiresDate }, 7, now).toISOString();
  expect([to(pending), to(running)]).toEqual(['2026-12-25T12:00:00.000Z', '2026-12-28T12:00:00.000Z']);
  // One that has ended begins again now.
  expect(to(over)).toBe('2026-12-24T12:00:00.000Z');
});
