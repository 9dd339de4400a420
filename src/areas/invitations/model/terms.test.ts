import { describe, expect, test } from 'vitest';
import { getActionReason, getEnd, getExtendedEnd } from './actions.ts';
import { endsSoon, formatTerm } from './terms.ts';

const now = new Date('2026-12-17T12:00:00.000Z');
const end = '2026-12-21T12:00:00.000Z';
const past = '2026-12-10T12:00:00.000Z';
const permanent = { type: 0, duration: null, status: 'accepted', membershipExpiresDate: null } as const;
const pending = { type: 1, duration: 30, status: 'pending', membershipExpiresDate: null } as const;
const running = { ...pending, status: 'accepted', membershipExpiresDate: end } as const;
const over = { ...running, membershipExpiresDate: past } as const;

describe('term of a membership', () => {
  test.each([
    [permanent, 'Permanent'],
    [pending, '30 days from acceptance'],
    [{ ...pending, duration: 1 } as const, '1 day from acceptance'],
    [{ ...pending, status: 'revoked' } as const, '30 days'],
    [{ ...running, membershipExpiresDate: null } as const, '30 days, no longer running'],
  ])('%#', (invitation, words) => {
    expect(formatTerm(invitation, now)).toBe(words);
  });

  test('formats an end with its distance', () => {
    expect(formatTerm(running, now)).toMatch(/^Ends .*2026, in 4 days$/);
    expect(formatTerm(over, now)).toMatch(/^Ended .*2026, 7 days ago$/);
  });

  test('marks only ends in the near future', () => {
    expect([running, over, permanent, pending].map((one) => endsSoon(one, now))).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });
});

describe('available actions', () => {
  const states = {
    pending,
    accepted: running,
    over,
    permanent,
    expired: { ...pending, status: 'expired' },
    revoked: { ...pending, status: 'revoked' },
  } as const;
  const able = (action: 'resend' | 'revoke' | 'extend') =>
    Object.entries(states).flatMap(([name, one]) =>
      getActionReason(action, one) === undefined ? [name] : [],
    );

  test('resends pending and expired invitations', () =>
    expect(able('resend')).toEqual(['pending', 'expired']));
  test('revokes pending invitations', () => expect(able('revoke')).toEqual(['pending']));
  test('extends pending links and temporary memberships, also ended ones', () =>
    expect(able('extend')).toEqual(['pending', 'accepted', 'over']));
});

test('extends the link of a pending invitation and the membership of an accepted one', () => {
  const expiresDate = '2026-12-18T12:00:00.000Z';
  expect(getEnd({ ...pending, expiresDate })).toBe(expiresDate);
  expect(getEnd({ ...running, expiresDate })).toBe(end);
  const to = (one: typeof running | typeof over | typeof pending) =>
    getExtendedEnd({ ...one, expiresDate }, 7, now).toISOString();
  expect([to(pending), to(running)]).toEqual(['2026-12-25T12:00:00.000Z', '2026-12-28T12:00:00.000Z']);
  // An ended membership restarts now.
  expect(to(over)).toBe('2026-12-24T12:00:00.000Z');
});
