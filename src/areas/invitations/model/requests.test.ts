import { expect, test } from 'vitest';
import type { Choice, Invitee } from './choices.ts';
import { buildInvitationsRequest, formatExtended, formatPlanTitle } from './requests.ts';

const invitee = (choice: Choice, part: Partial<Invitee> = {}): Invitee => ({
  index: 0,
  email: 'ann@x.example',
  key: 'ann@x.example',
  outcome: 'addable',
  message: '',
  userId: undefined,
  invitationId: undefined,
  terms: { type: 0, days: 30, groups: [] },
  options: [],
  choice,
  ...part,
});
const CHOICES = [
  invitee('invite', { terms: { type: 1, days: 30, groups: [7] } }),
  invitee('invite', { email: 'ben@x.example' }),
  invitee('add', { email: 'cleo@x.example', terms: { type: 0, days: undefined, groups: [7] } }),
  invitee('resend', { invitationId: 12 }),
  invitee('skip', { email: 'broken@' }),
];

test('requests each choice by its own operation, and days only for temporary memberships', () => {
  expect(buildInvitationsRequest(CHOICES)).toEqual({
    invite: [
      { email: 'ann@x.example', type: 1, duration: 30, groups: [7] },
      { email: 'ben@x.example', type: 0 },
    ],
    add: [{ email: 'cleo@x.example', groups: [7] }],
    resend: [12],
  });
  expect(formatPlanTitle(CHOICES)).toBe('Invite 2 people, add 1 and send 1 invitation again');
});

test('says which end was moved', () => {
  const invitation = {
    id: 3,
    email: 'ann@x.example',
    type: 1,
    duration: 30,
    groups: [],
    invitedBy: 1,
    createdDate: '2030-03-01T08:00:00.000Z',
    expiresDate: '2030-03-08T08:00:00.000Z',
    membershipExpiresDate: '2031-03-08T08:00:00.000Z',
  };
  expect(formatExtended({ ...invitation, status: 'pending' })).toMatch(
    /^Extended, the link works until .*2030, in /,
  );
  expect(formatExtended({ ...invitation, status: 'accepted' })).toMatch(
    /^Extended, the membership ends .*2031, in /,
  );
});
