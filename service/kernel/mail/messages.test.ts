import { expect, test } from 'vitest';
import { acceptedMail, addedMail, endingMail, invitationMail, keyEndingMail, momentIn } from './messages.ts';

const hostile = 'Zoë\r\nBcc: x@evil.test\u2028\u202e';
const link = 'https://steward.example/invitation#t';
const invitation = {
  firstName: 'Ada',
  siteName: 'Northlight Capital',
  inviter: 'Grace Lund',
  days: 30,
  link,
  linkDays: 7,
};

test('an invitation names site, inviter, length, and how long the link holds', () => {
  const { subject, text } = invitationMail(invitation);
  expect(subject).toBe('Invitation to Northlight Capital');
  expect(text.split('\n\n')).toEqual([
    'Hello Ada,',
    'Grace Lund invites you to Northlight Capital.',
    'The membership is temporary: it ends by itself 30 days after you accept.',
    'To read the invitation and accept it, open:',
    link,
    'The link works once and for 7 days. Until you accept, nothing changes.',
    'If you did not expect this mail, you can ignore it.\n',
  ]);
});

test('a permanent one has no end, one day is one day, and an inviter who left has no name', () => {
  expect(invitationMail({ ...invitation, days: null }).text).toContain('The membership is permanent.');
  expect(invitationMail({ ...invitation, days: 1 }).text).toContain('by itself 1 day after');
  expect(invitationMail({ ...invitation, inviter: null }).text).toContain('An administrator invites you to');
});

test('whoever invited reads who came and until when; the end is told to both in their words', () => {
  const end = momentIn(new Date('2026-03-29T08:00:00Z'), 'Europe/Berlin');
  expect(end).toBe('29 March 2026 at 10:00 CEST');
  const about = { firstName: 'Grace', siteName: 'Northlight Capital', end };
  expect(acceptedMail({ ...about, who: 'Ada Okafor' }).text).toContain(`ends by itself on ${end}.`);
  expect(acceptedMail({ ...about, who: 'Ada Okafor', end: null }).text).toContain('has no end');
  expect(endingMail(about)).toMatchObject({ subject: 'Your time on Northlight Capital ends soon' });
  const toInviter = endingMail({ ...about, who: 'Ada Okafor' });
  expect(toInviter.subject).toBe('The time of Ada Okafor on Northlight Capital ends soon');
  expect(toInviter.text).toContain('extend the invitation');
});

test('whatever names hold, a subject is one line and a name is no paragraph', () => {
  const site = { firstName: hostile, siteName: hostile };
  for (const { subject, text } of [
    invitationMail({ ...invitation, ...site, inviter: hostile }),
    addedMail({ ...site, by: hostile, link }),
    acceptedMail({ ...site, who: hostile, end: null }),
    endingMail({ ...site, end: 'then', who: hostile }),
    keyEndingMail({ ...site, clientId: 31, end: 'then', link }),
  ]) {
    expect(subject).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]+$/u);
    expect(text.split('\n').filter((line) => line.startsWith('Bcc'))).toEqual([]);
    expect(text).not.toMatch(/[\u2028\u202e\r]/);
  }
});
