import { expect, test } from 'vitest';
import type { InvitationInfoResponse } from '../../../../contract/generated/types.gen.ts';
import { findInvitations, isFiltered, parseInvitationsView, serializeInvitationsView } from './view.ts';

const now = new Date('2026-12-17T12:00:00.000Z');
const make = (part: Partial<InvitationInfoResponse>): InvitationInfoResponse => ({
  id: 1,
  email: 'ann@x.example',
  type: 0,
  duration: null,
  groups: [],
  status: 'pending',
  invitedBy: 1,
  createdDate: '2026-12-16T08:00:00.000Z',
  expiresDate: '2026-12-23T08:00:00.000Z',
  ...part,
});
const all = [
  make({ id: 4, invitedByName: 'Grace Lund' }),
  make({
    id: 3,
    status: 'accepted',
    userId: 7,
    type: 1,
    duration: 30,
    membershipExpiresDate: '2026-12-21T08:00:00.000Z',
  }),
  make({
    id: 2,
    status: 'accepted',
    email: 'ben@y.example',
    membershipExpiresDate: '2026-12-19T08:00:00.000Z',
  }),
  make({ id: 1, status: 'revoked', email: 'cleo@z.example' }),
];
const people = new Map([[7, { name: 'Ánn Ash' }]]);
const ids = (view: Partial<Parameters<typeof findInvitations>[2]>) =>
  findInvitations(all, people, { q: '', status: [], endingSoon: false, ...view }, now).rows.map(
    ({ id }) => id,
  );

test('serializes and parses a view and drops invalid values and defaults', () => {
  const view = { q: '7', status: ['pending', 'expired'], endingSoon: true, hidden: ['sent'] };
  for (const hidden of [['sent'], [], undefined])
    expect(parseInvitationsView({ ...serializeInvitationsView({ ...view, hidden }) })).toEqual({
      ...view,
      hidden,
    });
  expect(
    serializeInvitationsView(parseInvitationsView({ status: 'lost-all', soon: 'no', hide: 'email' })),
  ).toEqual({});
  expect(isFiltered(parseInvitationsView({}))).toBe(false);
});

test('searches address, accepted user and inviter', () => {
  expect(ids({ q: 'Y.EXAMPLE' })).toEqual([2]);
  expect(ids({ q: 'ann ash' })).toEqual([3]);
  expect(ids({ q: 'lund' })).toEqual([4]);
});

test('filters by state and counts all states', () => {
  expect(ids({ status: ['accepted', 'revoked'] })).toEqual([3, 2, 1]);
  expect(findInvitations(all, people, { q: '', status: ['revoked'], endingSoon: false }, now).counts).toEqual(
    {
      pending: 1,
      accepted: 2,
      revoked: 1,
    },
  );
});

test('sorts memberships ending soon by their end', () => {
  expect(ids({ endingSoon: true })).toEqual([2, 3]);
});
