import { Link } from '@tanstack/react-router';
import { CalendarPlus } from 'lucide-react';
import { extendInvitationMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { InvitationInfoResponse, InvitationStatus } from '../../../api/generated/types.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import type { Tone } from '../../../ui/layout/tone.ts';
import type { Column } from '../../../ui/table/columns.ts';
import { endOf } from '../model/acts.ts';
import { GroupList, usePersonName } from './names.tsx';
import { endsSoon, endWords, inDays, termWords } from '../model/terms.ts';
import './invitations.css';
import '../../../directory/person-columns.css';

type Place = { tabIndex: 0 | -1 };

export const STATUS_WORDS: Record<InvitationStatus, { label: string; tone: Tone }> = {
  pending: { label: 'Pending', tone: 'info' },
  accepted: { label: 'Accepted', tone: 'ok' },
  expired: { label: 'Expired', tone: 'warn' },
  revoked: { label: 'Revoked', tone: 'neutral' },
};

const none = <span className="person-none">—</span>;

function Person({ userId, tabIndex }: { userId: number } & Place) {
  const name = usePersonName(userId);
  return (
    <Link to="/users/$userId" params={{ userId }} tabIndex={tabIndex} title={name}>
      {name}
    </Link>
  );
}

/** What one press gives to somebody whose end is near. */
export const ONE_PRESS = 30;

function Term({ invitation, tabIndex }: { invitation: InvitationInfoResponse } & Place) {
  if (!endsSoon(invitation)) return <span className="person-soft">{termWords(invitation)}</span>;
  return (
    <span className="inv-soon">
      <span>{termWords(invitation)}</span>
      <ExtendAtOnce invitation={invitation} tabIndex={tabIndex} />
    </span>
  );
}

function ExtendAtOnce({
  invitation: { id, email },
  tabIndex,
}: { invitation: InvitationInfoResponse } & Place) {
  const { reason } = useAllowed('extendInvitation');
  const extend = useWrite('extendInvitation', extendInvitationMutation());
  const go = () =>
    extend.mutate(
      { path: { id }, body: { days: ONE_PRESS } },
      {
        onSuccess: (now) =>
          toast({
            title: email,
            description: `Extended by ${inDays(ONE_PRESS)}: ends ${endWords(endOf(now))}.`,
          }),
        onError: ({ message }) =>
          toast({ title: `Not extended: ${email}`, description: message, tone: 'bad' }),
      },
    );
  return (
    <IconButton
      label={`Extend ${email} by ${inDays(ONE_PRESS)}`}
      icon={CalendarPlus}
      variant="default"
      size="small"
      pending={extend.isPending}
      disabledReason={reason}
      tabIndex={tabIndex}
      onClick={go}
    />
  );
}

/** The columns of the list, in the order of what people look for. */
export const COLUMNS: readonly Column<InvitationInfoResponse>[] = [
  {
    id: 'email',
    header: 'E-mail',
    minWidth: 178,
    cell: ({ email }) => (
      <span className="inv-email" title={email}>
        {email}
      </span>
    ),
  },
  {
    id: 'status',
    header: 'State',
    width: 88,
    small: 'aside',
    cell: ({ status }) => <Badge tone={STATUS_WORDS[status].tone}>{STATUS_WORDS[status].label}</Badge>,
  },
  {
    id: 'person',
    header: 'Person',
    width: 108,
    cell: ({ userId }, { tabIndex }) => (userId ? <Person {...{ userId, tabIndex }} /> : none),
  },
  {
    id: 'term',
    header: 'Membership',
    width: 236,
    small: 'line',
    cell: (invitation, { tabIndex }) => <Term {...{ invitation, tabIndex }} />,
  },
  {
    id: 'groups',
    header: 'Groups',
    width: 108,
    cell: ({ groups }) => <GroupList ids={groups} />,
  },
  {
    id: 'invitedBy',
    header: 'Invited by',
    width: 104,
    cell: ({ invitedByName }) => (
      <span className="person-soft" title={invitedByName ?? undefined}>
        {invitedByName ?? 'The system'}
      </span>
    ),
  },
  {
    id: 'sent',
    header: 'Invited',
    align: 'end',
    width: 112,
    cell: ({ createdDate }, { tabIndex }) => <Moment at={createdDate} tabIndex={tabIndex} />,
  },
  {
    id: 'until',
    header: 'Link until',
    align: 'end',
    width: 112,
    cell: ({ status, expiresDate }, { tabIndex }) =>
      status === 'pending' || status === 'expired' ? <Moment at={expiresDate} tabIndex={tabIndex} /> : none,
  },
];

const WIDER: Readonly<Record<string, number>> = { person: 150, groups: 130, invitedBy: 160 };

/** The same where a window has room for whole names. */
export const WIDE_COLUMNS = COLUMNS.map((column) => {
  const width = WIDER[column.id];
  return width === undefined ? column : { ...column, width };
});
