import { Link } from '@tanstack/react-router';
import { CalendarPlus } from 'lucide-react';
import type { InvitationInfoResponse, InvitationStatus } from '../../../../contract/generated/types.gen.ts';
import { extendInvitationMutation } from '../../../api/generated/queries/invitations.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { toastFailedWrite } from '../../../app/state/failed-write.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Tone } from '../../../ui/layout/Badge.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { toast } from '../../../ui/toast.ts';
import { getEnd } from '../model/actions.ts';
import { endsSoon, formatEnd, formatDays, formatTerm } from '../model/terms.ts';
import { GroupList, usePersonName } from './name-lookup.tsx';
import './invitations.css';
import '../../../directory/person-columns.css';

type CellFocus = { tabIndex: 0 | -1 };

export const STATUS_LABELS: Record<InvitationStatus, { label: string; tone: Tone }> = {
  pending: { label: 'Pending', tone: 'info' },
  accepted: { label: 'Accepted', tone: 'ok' },
  expired: { label: 'Expired', tone: 'warn' },
  revoked: { label: 'Revoked', tone: 'neutral' },
};

const NO_VALUE = <span className="person-none">—</span>;

function Person({ userId, tabIndex }: { userId: number } & CellFocus) {
  const name = usePersonName(userId);
  return (
    <Link to="/users/$userId" params={{ userId }} tabIndex={tabIndex} title={name}>
      {name}
    </Link>
  );
}

/** Days that the button in the row extends by. */
export const QUICK_EXTENSION_DAYS = 30;

function TermCell({ invitation, tabIndex }: { invitation: InvitationInfoResponse } & CellFocus) {
  if (!endsSoon(invitation)) return <span className="person-soft">{formatTerm(invitation)}</span>;
  return (
    <span className="inv-soon">
      <span>{formatTerm(invitation)}</span>
      <QuickExtendButton invitation={invitation} tabIndex={tabIndex} />
    </span>
  );
}

function QuickExtendButton({
  invitation: { id, email },
  tabIndex,
}: { invitation: InvitationInfoResponse } & CellFocus) {
  const { reason } = usePermission('extendInvitation');
  const extend = useWrite('extendInvitation', extendInvitationMutation());
  const go = () =>
    // The button is gone as soon as the list shows the later end.
    extend.mutateAsync({ path: { id }, body: { days: QUICK_EXTENSION_DAYS } }).then(
      (now) =>
        toast({
          title: email,
          description: `Extended by ${formatDays(QUICK_EXTENSION_DAYS)}: ends ${formatEnd(getEnd(now))}.`,
        }),
      (thrown: unknown) => toastFailedWrite(`The invitation of ${email}`, 'extended', thrown),
    );
  return (
    <IconButton
      label={`Extend ${email} by ${formatDays(QUICK_EXTENSION_DAYS)}`}
      icon={CalendarPlus}
      variant="default"
      size="small"
      pending={extend.isPending}
      disabledReason={reason}
      tabIndex={tabIndex}
      onClick={() => void go()}
    />
  );
}

/** Columns of the list. */
export const COLUMNS: readonly Column<InvitationInfoResponse>[] = [
  {
    id: 'email',
    header: 'E-mail',
    minWidth: 204,
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
    cell: ({ status }) => <Badge tone={STATUS_LABELS[status].tone}>{STATUS_LABELS[status].label}</Badge>,
  },
  {
    id: 'person',
    header: 'Person',
    width: 108,
    cell: ({ userId }, { tabIndex }) => (userId ? <Person {...{ userId, tabIndex }} /> : NO_VALUE),
  },
  {
    id: 'term',
    header: 'Membership',
    width: 208,
    small: 'line',
    cell: (invitation, { tabIndex }) => <TermCell {...{ invitation, tabIndex }} />,
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
    width: 116,
    cell: ({ createdDate }, { tabIndex }) => <Timestamp at={createdDate} tabIndex={tabIndex} />,
  },
  {
    id: 'until',
    header: 'Link until',
    align: 'end',
    width: 112,
    cell: ({ status, expiresDate }, { tabIndex }) =>
      status === 'pending' || status === 'expired' ? (
        <Timestamp at={expiresDate} tabIndex={tabIndex} />
      ) : (
        NO_VALUE
      ),
  },
];

const WIDE_COLUMN_WIDTHS: Readonly<Record<string, number>> = { person: 150, groups: 130, invitedBy: 160 };

/** Columns for wide windows. */
export const WIDE_COLUMNS = COLUMNS.map((column) => {
  const width = WIDE_COLUMN_WIDTHS[column.id];
  return width === undefined ? column : { ...column, width };
});
