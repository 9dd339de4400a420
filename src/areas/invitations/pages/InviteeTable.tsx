import { Link } from '@tanstack/react-router';
import { AtSign, ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { MAX_INVITATIONS_PER_HOUR, TEMPORARY } from '../../../../contract/rules/people/invitations.ts';
import type { ServiceError } from '../../../api/errors.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { endSentence } from '../../../lib/text/sentences.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { FailureBanner } from '../../../ui/feedback/FailureBanner.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Tone } from '../../../ui/layout/Badge.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { Spinner } from '../../../ui/Spinner.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { countChoices } from '../model/choices.ts';
import type { Invitee, Choice, InviteeOutcome } from '../model/choices.ts';
import { addressChecker, setChoice } from '../model/draft.ts';
import { formatPlanTitle } from '../model/requests.ts';
import { formatDays } from '../model/terms.ts';

type ShownInvitees = 'all' | 'sent' | 'left';

const isShown = ({ choice, outcome }: Invitee, shown: ShownInvitees): boolean =>
  shown === 'all' || (outcome !== 'checking' && (choice === 'skip') === (shown === 'left'));
const getIndex = ({ index }: Invitee) => index;
const getEmail = ({ email }: Invitee) => email;

interface InviteeTableProps {
  invitees: readonly Invitee[];
  /** The text has changed since the addresses were read from it. */
  isTyping: boolean;
  check: { failure: ServiceError | undefined; asking: boolean; waits: number | undefined };
  onSend: (selected: readonly Invitee[]) => void;
  sending: boolean;
  /** Why the chosen start is not possible. */
  scheduleProblem: string | undefined;
  /** Why the job was not started. */
  failure: ServiceError | undefined;
}

/** Table of all addresses with check results and choices, and the button to send. */
export function InviteeTable({
  invitees,
  isTyping,
  check,
  onSend,
  sending,
  scheduleProblem,
  failure,
}: InviteeTableProps) {
  const [shown, setShown] = useState<ShownInvitees>('all');
  const { skip, invite, add, resend } = countChoices(invitees);
  const sent = invite + add + resend;
  const checking = invitees.filter(({ outcome }) => outcome === 'checking').length;
  const rows = invitees.filter((one) => isShown(one, shown));
  const isChecking = isTyping || checking > 0;
  const reason = getDisabledReason(sent, isChecking, invitees) ?? scheduleProblem;
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
          {endSentence(check.failure.message)} You can send anyway; the service then decides for each.
        </Banner>
      )}
      {invite + resend > MAX_INVITATIONS_PER_HOUR && (
        <Banner title={`You can send ${formatNumber(MAX_INVITATIONS_PER_HOUR)} invitations in an hour`}>
          This list has {formatNumber(invite + resend)}. The job sends{' '}
          {formatNumber(MAX_INVITATIONS_PER_HOUR)} an hour and waits in between, so this takes about{' '}
          {pluralize(Math.floor((invite + resend - 1) / MAX_INVITATIONS_PER_HOUR), 'hour', 'hours')}.
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
        footer={invitees.length > 0 ? <SendFooter {...{ invitees, reason, onSend, sending }} /> : undefined}
      />
      {failure && <FailureBanner failure={failure} />}
    </div>
  );
}

interface SendFooterProps extends Pick<InviteeTableProps, 'invitees' | 'onSend' | 'sending'> {
  /** Reason why nothing can be sent. */
  reason: string | undefined;
}

function SendFooter({ invitees, reason, onSend, sending }: SendFooterProps) {
  const { skip } = countChoices(invitees);
  return (
    <>
      <span className="num">
        {skip === 0 ? 'No address left out.' : `${pluralize(skip, 'address', 'addresses')} left out.`}
      </span>
      <Button variant="primary" pending={sending} disabledReason={reason} onClick={() => onSend(invitees)}>
        {formatPlanTitle(invitees) || 'Invite people'}
      </Button>
    </>
  );
}

const lacksDays = ({ choice, terms: { type, days } }: Invitee): boolean =>
  choice === 'invite' && type === TEMPORARY && days === undefined;

function getDisabledReason(
  sent: number,
  isChecking: boolean,
  invitees: readonly Invitee[],
): string | undefined {
  if (isChecking) return 'The addresses are still being checked';
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

type CellFocus = { tabIndex: 0 | -1 };

const OUTCOME_LABELS: Record<InviteeOutcome, { label: string; tone: Tone }> = {
  addable: { label: 'Can be added', tone: 'ok' },
  invitable: { label: 'Can be invited', tone: 'info' },
  member: { label: 'Member', tone: 'neutral' },
  invited: { label: 'Invited', tone: 'neutral' },
  unknown: { label: 'No user yet', tone: 'warn' },
  closed: { label: 'Cannot be added', tone: 'warn' },
  'not-an-address': { label: 'Not an address', tone: 'bad' },
  faulty: { label: 'Invalid', tone: 'bad' },
  repeated: { label: 'Repeated', tone: 'neutral' },
  checking: { label: 'Checking', tone: 'neutral' },
  unchecked: { label: 'Not checked', tone: 'warn' },
};

/** Outcomes whose badge needs the message beside it. */
const OUTCOMES_WITH_MESSAGE: ReadonlySet<InviteeOutcome> = new Set([
  'invitable',
  'closed',
  'faulty',
  'repeated',
  'unchecked',
]);

const CHOICE_LABELS: Record<Choice, { label: string; hint: string }> = {
  invite: { label: 'Invite', hint: 'They get an e-mail and become a member when they accept' },
  add: { label: 'Add now', hint: 'They become a member immediately, without confirmation' },
  resend: { label: 'Send again', hint: 'A new e-mail; the earlier link stops working' },
  skip: { label: 'Leave out', hint: 'Not sent' },
};

/** Link to the next step for addresses that cannot be invited. */
function NextStepLink({ invitee: { outcome, email, userId }, tabIndex }: { invitee: Invitee } & CellFocus) {
  if (outcome === 'member' && userId !== undefined)
    return (
      <Link to="/users/$userId" params={{ userId }} tabIndex={tabIndex}>
        Open the user
      </Link>
    );
  if (outcome === 'invited')
    return (
      <Link to="/invitations" search={{ q: email }} tabIndex={tabIndex}>
        Show the invitation
      </Link>
    );
  if (outcome === 'unknown')
    return (
      <Link to="/users/new" search={{ email }} tabIndex={tabIndex}>
        Create a user
      </Link>
    );
  return null;
}

function CheckResultCell({ invitee, tabIndex }: { invitee: Invitee } & CellFocus) {
  const { outcome, message } = invitee;
  const { label, tone } = OUTCOME_LABELS[outcome];
  return (
    <span className="inv-found" title={message}>
      <Badge tone={tone}>{label}</Badge> <NextStepLink invitee={invitee} tabIndex={tabIndex} />
      {OUTCOMES_WITH_MESSAGE.has(outcome) && <span className="person-soft">{message}</span>}
    </span>
  );
}

/** Label of a choice, with the days of a temporary membership. */
function formatChoice({ choice, terms: { type, days } }: Invitee): string {
  const { label } = CHOICE_LABELS[choice];
  return choice === 'invite' && type === TEMPORARY && days !== undefined
    ? `${label}, ${formatDays(days)}`
    : label;
}

function ChoiceMenu({ invitee, tabIndex }: { invitee: Invitee } & CellFocus) {
  const { key, email, options, choice, outcome } = invitee;
  const label = formatChoice(invitee);
  if (outcome === 'checking') return null;
  if (options.length === 1) return <span className="inv-left">{label}</span>;
  return (
    <MenuButton
      label={`Action for ${email}: ${label}`}
      variant={choice === 'skip' ? 'quiet' : 'default'}
      size="small"
      tabIndex={tabIndex}
      items={() =>
        options.map((option) => ({
          ...CHOICE_LABELS[option.choice],
          disabledReason: option.reason,
          checked: option.choice === choice,
          isRadio: true,
          closesMenu: true,
          onSelect: () => setChoice(key, option.choice),
        }))
      }
    >
      {label}
      <ChevronDown />
    </MenuButton>
  );
}

/** Columns of the draft. */
const COLUMNS: readonly Column<Invitee>[] = [
  {
    id: 'email',
    header: 'E-mail',
    minWidth: 170,
    cell: ({ email }) => (
      <span className="inv-email" title={email}>
        {email}
      </span>
    ),
  },
  {
    id: 'found',
    header: 'Status',
    minWidth: 200,
    small: 'line',
    cell: (invitee, { tabIndex }) => <CheckResultCell {...{ invitee, tabIndex }} />,
  },
  {
    id: 'choice',
    header: 'Action',
    width: 152,
    small: 'aside',
    cell: (invitee, { tabIndex }) => <ChoiceMenu {...{ invitee, tabIndex }} />,
  },
];
