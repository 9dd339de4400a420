import { INVITATIONS_AN_HOUR, TEMPORARY } from '../../../../contract/rules/invitations.ts';
import { AtSign } from 'lucide-react';
import { useState } from 'react';
import type { ServiceError } from '../../../api/errors.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Choice } from '../../../ui/chart/Choice.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Spinner } from '../../../ui/feedback/Spinner.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { countChoices } from '../model/choices.ts';
import type { Invitee } from '../model/choices.ts';
import { checks } from '../model/draft.ts';
import { COLUMNS } from './invitee-columns.tsx';
import { planTitle } from '../model/plan.ts';

type Shown = 'all' | 'sent' | 'left';

const isShown = ({ choice, outcome }: Invitee, shown: Shown): boolean =>
  shown === 'all' || (outcome !== 'checking' && (choice === 'skip') === (shown === 'left'));
const placeOf = ({ at }: Invitee) => at;
const emailOf = ({ email }: Invitee) => email;

interface InviteeTableProps {
  invitees: readonly Invitee[];
  check: { failure: ServiceError | undefined; asking: boolean; waits: number | undefined };
  onSend: (those: readonly Invitee[]) => void;
}

/** Every address that was found, what is known of it and what will happen; under it, the button that does it. */
export function InviteeTable({ invitees, check, onSend }: InviteeTableProps) {
  const [shown, setShown] = useState<Shown>('all');
  const { skip, invite, add, resend } = countChoices(invitees);
  const sent = invite + add + resend;
  const checking = invitees.filter(({ outcome }) => outcome === 'checking').length;
  const rows = invitees.filter((one) => isShown(one, shown));
  const reason = reasonFor(sent, checking, invitees);
  return (
    <div className="inv-make-main">
      {check.failure && (
        <Banner
          tone="warn"
          title="The addresses could not be checked"
          actions={
            <Button size="small" pending={check.asking} onClick={checks.retry}>
              Check again
            </Button>
          }
        >
          {check.failure.message}. They can be sent all the same; the service then decides for each.
        </Banner>
      )}
      {invite + resend > INVITATIONS_AN_HOUR && (
        <Banner title={`You can send ${count(INVITATIONS_AN_HOUR)} invitations in an hour`}>
          These are {count(invite + resend)}: those beyond are kept, to be sent later.
        </Banner>
      )}
      {invitees.length > 0 && (
        <div className="inv-make-bar">
          <Choice
            label="Addresses shown"
            options={[
              { value: 'all', label: `All ${count(invitees.length)}` },
              { value: 'sent', label: `To send ${count(sent)}` },
              { value: 'left', label: `Left out ${count(skip)}` },
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
        rowId={placeOf}
        rowLabel={emailOf}
        empty={<Nobody />}
        onClearFilters={invitees.length > 0 ? () => setShown('all') : undefined}
        footer={invitees.length > 0 ? <Decision {...{ invitees, reason, onSend }} /> : undefined}
      />
    </div>
  );
}

interface DecisionProps extends Pick<InviteeTableProps, 'invitees' | 'onSend'> {
  /** Why nothing can be sent now. */
  reason: string | undefined;
}

function Decision({ invitees, reason, onSend }: DecisionProps) {
  const { skip } = countChoices(invitees);
  return (
    <>
      <span className="num">
        {skip === 0 ? 'Nobody is left out.' : `${counted(skip, 'address is', 'addresses are')} left out.`}
      </span>
      <Button variant="primary" disabledReason={reason} onClick={() => onSend(invitees)}>
        {planTitle(invitees) || 'Invite people'}
      </Button>
    </>
  );
}

const lacksDays = ({ choice, terms: { type, days } }: Invitee): boolean =>
  choice === 'invite' && type === TEMPORARY && days === undefined;

function reasonFor(sent: number, checking: number, invitees: readonly Invitee[]): string | undefined {
  if (checking > 0) return 'The addresses are still being checked';
  if (sent === 0) return 'Every address is left out';
  return invitees.some(lacksDays) ? 'Say first how many days the membership lasts' : undefined;
}

function Checking({ number, waits }: { number: number; waits: number | undefined }) {
  return (
    <output className="inv-checking">
      <Spinner />
      {waits === undefined
        ? `Checking ${counted(number, 'address', 'addresses')}`
        : `The service takes no more for the moment; going on in ${counted(waits, 'second', 'seconds')}`}
    </output>
  );
}

function Nobody() {
  return (
    <EmptyState icon={AtSign} title="No address yet">
      Before anything is sent, each address is looked up here: who is a member or invited already, who can be
      invited, who can be added without confirmation, and who needs a new user instead.
    </EmptyState>
  );
}
