import { expect, test } from 'vitest';
import {
  composeApiKeyExpiringMail,
  composeInvitationAcceptedMail,
  composeInvitationMail,
  composeMemberAddedMail,
  composeMembershipEndingMail,
  formatTimestamp,
} from './messages.ts';

const hostileName = 'Zoë\r\nBcc: x@evil.test\u2028\u202e';
const link = 'https://steward.example/invitation#t';
const invitation = {
  firstName: 'Ada',
  siteName: 'Northlight Capital',
  inviter: 'Grace Lund',
  days: 30,
  link,
  linkDays: 7,
};

test('an invitation names site, inviter, duration and validity of the link', () => {
  const { subject, text } = composeInvitationMail(invitation);
  expect(subject).toBe('Invitation to Northlight Capital');
  expect(text.split('\n\n')).toEqual([
    'Hello Ada,',
    'Grace Lund invites you to Northlight Capital.',
    'The membership is temporary: it ends 30 days after you accept.',
    'To read the invitation and accept it, open:',
    link,
    'The link works once and for 7 days. Nothing changes until you accept.',
    'If you did not expect this mail, you can ignore it.\n',
  ]);
});

test('an invitation words permanent memberships, single days and missing inviters accordingly', () => {
  expect(composeInvitationMail({ ...invitation, days: null }).text).toContain('The membership is permanent.');
  expect(composeInvitationMail({ ...invitation, days: 1 }).text).toContain('it ends 1 day after');
  expect(composeInvitationMail({ ...invitation, inviter: null }).text).toContain(
    'An administrator invites you to',
  );
});

test('the inviter learns who accepted and until when; the mail about the end is worded for its recipient', () => {
  const endDate = formatTimestamp(new Date('2026-03-29T08:00:00Z'), 'Europe/Berlin');
  expect(endDate).toBe('29 March 2026 at 10:00 CEST');
  const options = { firstName: 'Grace', siteName: 'Northlight Capital', endDate };
  const memberName = 'Ada Okafor';
  expect(composeInvitationAcceptedMail({ ...options, memberName }).text).toContain(`ends on ${endDate}.`);
  expect(composeInvitationAcceptedMail({ ...options, memberName, endDate: null }).text).toContain(
    'has no end date',
  );
  expect(composeMembershipEndingMail(options)).toMatchObject({
    subject: 'Your membership on Northlight Capital ends soon',
  });
  const inviterMail = composeMembershipEndingMail({ ...options, memberName });
  expect(inviterMail.subject).toBe('The membership of Ada Okafor on Northlight Capital ends soon');
  expect(inviterMail.text).toContain('extend the invitation');
});

test('names with line breaks neither add lines to a subject nor paragraphs to a text', () => {
  const names = { firstName: hostileName, siteName: hostileName };
  for (const { subject, text } of [
    composeInvitationMail({ ...invitation, ...names, inviter: hostileName }),
    composeMemberAddedMail({ ...names, addedBy: hostileName, link }),
    composeInvitationAcceptedMail({ ...names, memberName: hostileName, endDate: null }),
    composeMembershipEndingMail({ ...names, endDate: 'then', memberName: hostileName }),
    composeApiKeyExpiringMail({ ...names, clientId: 31, endDate: 'then', link }),
  ]) {
    expect(subject).toMatch(/^[^\p{C}\p{Zl}\p{Zp}]+$/u);
    expect(text.split('\n').filter((line) => line.startsWith('Bcc'))).toEqual([]);
    expect(text).not.toMatch(/[\u2028\u202e\r]/);
  }
});
