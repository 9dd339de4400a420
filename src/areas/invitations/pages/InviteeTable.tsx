import { AtSign } from 'lucide-react';
import { useState } from 'react';
import { MAX_INVITATIONS_PER_HOUR, TEMPORARY } from '../../../../contract/rules/invitations.ts';
import type { ServiceError } from '../../../api/errors.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { SegmentedControl } from '../../../ui/chart/SegmentedControl.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Spinner } from '../../../ui/Spinner.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { countChoices } from '../model/choices.ts';
import type { Invitee } from '../model/choices.ts';
import { addressChecker } from '../model/draft.ts';
import { formatPlanTitle } from '../model/requests.ts';
import { COLUMNS } from './invitee-columns.tsx';

type ShownInvitees = 'all' | 'sent' | 'left';

const isShown = ({ choice, outcome }: Invitee, shown: ShownInvitees): boolean =>
  shown === 'all' || (outcome !== 'checking' && (choice === 'skip') === (shown === 'left'));
const getIndex = ({ index }: Invitee) => index;
const getEmail = ({ email }: Invitee) => email;

interface InviteeTableProps {
  invitees: readonly Invitee[];
  check: { failure: ServiceError | undefined; asking: boolean; waits: number | undefined };
  onSend: (selected: readonly Invitee[]) => void;
}

/** Table of all addresses with check results and choices, and the button to send. */
export function InviteeTable({ invitees, check, onSend }: InviteeTableProps) {
  const [shown, setShown] = useState<ShownInvitees>('all');
  const { skip, invite, add, resend } = countChoices(invitees);
  const sent = invite + add + resend;
  const checking = invitees.filter(({ outcome }) => outcome === 'checking').length;
  const rows = invitees.filter((one) => isShown(one, shown));
  const reason = getDisabledReason(sent, checking, invitees);
  return (
    <div className="inv-make-main">
      {check.failure && (
        <Banner
          tone="warn"
          title="The addresses could not be checked"
          actions={
            <Button size="small" pending={check.asking} onClick={addressChecker.retry}>
              Check again
            </Button>
          }
        >
          {check.failure.message}. You can send anyway; the service then decides for each.
        </Banner>
      )}
      {invite + resend > MAX_INVITATIONS_PER_HOUR && (
        <Banner title={`You can send ${formatNumber(MAX_INVITATIONS_PER_HOUR)} invitations in an hour`}>
          This list has {formatNumber(invite + resend)}; the rest can be sent later.
        </Banner>
      )}
      {invitees.length > 0 && (
        <div className="inv-make-bar">
          <SegmentedControl
            label="Addresses shown"
            options={[
              { value: 'all', label: `All ${formatNumber(invitees.length)}` },
              { value: 'sent', label: `To send ${formatNumber(sent)}` },
              { value: 'left', label: `Left out ${formatNumber(skip)}` },
            ]}
            value={shown}
            onChange={setShown}
          />
          {checking > 0 && !check.failure && <Checking number={checking} waits={check.waits} />}
        </div>
      )}
      <DataTable
        label="Addresses"
        columns={COLUMNS}
        rows={rows}
        rowId={getIndex}
        rowLabel={getEmail}
        empty={<EmptyInvitees />}
        onClearFilters={invitees.length > 0 ? () => setShown('all') : undefined}
        footer={invitees.length > 0 ? <SendFooter {...{ invitees, reason, onSend }} /> : undefined}
      />
    </div>
  );
}

interface SendFooterProps extends Pick<InviteeTableProps, 'invitees' | 'onSend'> {
  /** Reason why nothing can be sent. */
  reason: string | undefined;
}

function SendFooter({ invitees, reason, onSend }: SendFooterProps) {
  const { skip } = countChoices(invitees);
  return (
    <>
      <span className="num">
        {skip === 0 ? 'No address left out.' : `${pluralize(skip, 'address', 'addresses')} left out.`}
      </span>
      <Button variant="primary" disabledReason={reason} onClick={() => onSend(invitees)}>
        {formatPlanTitle(invitees) || 'Invite people'}
      </Button>
    </>
  );
}

const lacksDays = ({ choice, terms: { type, days } }: Invitee): boolean =>
  choice === 'invite' && type === TEMPORARY && days === undefined;

function getDisabledReason(sent: number, checking: number, invitees: readonly Invitee[]): string | undefined {
  if (checking > 0) return 'The addresses are still being checked';
  if (sent === 0) return 'All addresses are left out';
  return invitees.some(lacksDays) ? 'Enter the duration of the membership' : undefined;
}

function Checking({ number, waits }: { number: number; waits: number | undefined }) {
  return (
    <output className="inv-checking">
      <Spinner />
      {waits === undefined
        ? `Checking ${pluralize(number, 'address', 'addresses')}`
        : `Rate limit reached; continuing in ${pluralize(waits, 'second', 'seconds')}`}
    </output>
  );
}

function EmptyInvitees() {
  return (
    <EmptyState icon={AtSign} title="No addresses yet">
      Each address is checked before sending: who is already a member or invited, who can be invited or added
      without confirmation, and who needs a new user.
    </EmptyState>
  );
}
