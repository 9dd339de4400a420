import {
  composeApiKeyExpiringMail,
  composeInvitationAcceptedMail,
  composeInvitationMail,
  composeMemberAddedMail,
  composeMembershipEndingMail,
  composeNotificationMail,
  composePasswordResetMail,
  composeSecurityMail,
  composeSetPasswordMail,
  formatTimestamp,
  type MailText,
} from './messages.ts';

/** Values of the site that examples are composed with. */
interface ExampleValues {
  firstName: string;
  siteName: string;
  /** Address of the console, without a slash at the end. */
  publicUrl: string;
  timeZone: string;
}

/** A mail that the service sends, with example values for its preview. */
export interface MailExample {
  /** In kebab case; part of the path of the test mail. */
  id: string;
  /** Title of the preview. */
  name: string;
  compose: (values: ExampleValues) => MailText;
}

const DAY_MS = 86_400_000;
/** The end of the day in a week, as mails print it. */
const formatEnd = (timeZone: string): string =>
  formatTimestamp(new Date(Math.ceil(Date.now() / DAY_MS + 7) * DAY_MS), timeZone);
const MEMBER_NAME = 'Grace Lund';

/** Examples of the mails that several areas send. Links of examples open the console but nothing else. */
export const KERNEL_MAIL_EXAMPLES: readonly MailExample[] = [
  {
    id: 'set-password',
    name: 'Set a first password',
    compose: (values) => composeSetPasswordMail({ ...values, link: `${values.publicUrl}/link#example` }),
  },
  {
    id: 'password-reset',
    name: 'Choose a new password',
    compose: (values) => composePasswordResetMail({ ...values, link: `${values.publicUrl}/link#example` }),
  },
  {
    id: 'invitation',
    name: 'Invitation',
    compose: (values) =>
      composeInvitationMail({
        ...values,
        inviter: MEMBER_NAME,
        days: 30,
        link: `${values.publicUrl}/invitation#example`,
        linkDays: 7,
      }),
  },
  {
    id: 'invitation-accepted',
    name: 'Invitation accepted',
    compose: (values) =>
      composeInvitationAcceptedMail({
        ...values,
        memberName: MEMBER_NAME,
        endDate: formatEnd(values.timeZone),
      }),
  },
  {
    id: 'member-added',
    name: 'Added to the site',
    compose: (values) =>
      composeMemberAddedMail({ ...values, addedBy: MEMBER_NAME, link: `${values.publicUrl}/` }),
  },
  {
    id: 'membership-ending',
    name: 'Membership ends soon',
    compose: (values) => composeMembershipEndingMail({ ...values, endDate: formatEnd(values.timeZone) }),
  },
  {
    id: 'membership-of-guest-ending',
    name: 'Membership of an invited person ends soon',
    compose: (values) =>
      composeMembershipEndingMail({
        ...values,
        endDate: formatEnd(values.timeZone),
        memberName: MEMBER_NAME,
      }),
  },
  {
    id: 'api-key-expiring',
    name: 'API key expires soon',
    compose: (values) =>
      composeApiKeyExpiringMail({
        ...values,
        clientId: 1042,
        endDate: formatEnd(values.timeZone),
        link: `${values.publicUrl}/profile`,
      }),
  },
  {
    id: 'security',
    name: 'Sign-in settings changed',
    compose: (values) => composeSecurityMail({ ...values, change: 'A passkey was added to your account.' }),
  },
  {
    id: 'notification',
    name: 'Notification',
    compose: (values) =>
      composeNotificationMail({
        ...values,
        title: 'Import of users: 3 of 240 failed',
        detail: 'The report names the reason of each.',
        link: `${values.publicUrl}/jobs`,
      }),
  },
];
