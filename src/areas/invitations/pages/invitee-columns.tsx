import { Link } from '@tanstack/react-router';
import { ChevronDown } from 'lucide-react';
import { TEMPORARY } from '../../../../contract/rules/invitations.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Tone } from '../../../ui/layout/Badge.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import type { Choice, Invitee, InviteeOutcome } from '../model/choices.ts';
import { setChoice } from '../model/draft.ts';
import { formatDays } from '../model/terms.ts';

type CellFocus = { tabIndex: 0 | -1 };

const OUTCOME_LABELS: Record<InviteeOutcome, { label: string; tone: Tone }> = {
  addable: { label: 'Can be added', tone: 'ok' },
  invitable: { label: 'Can be invited', tone: 'info' },
  member: { label: 'Member', tone: 'neutral' },
  invited: { label: 'Invited', tone: 'neutral' },
  unknown: { label: 'No user yet', tone: 'warn' },
  closed: { label: 'Cannot be added', tone: 'warn' },
  'not-an-address': { label: 'Not an address', tone: 'bad' },
  faulty: { label: 'Faulty', tone: 'bad' },
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
  skip: { label: 'Leave out', hint: 'Nothing happens' },
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
      label={`What happens to ${email}: ${label}`}
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
export const COLUMNS: readonly Column<Invitee>[] = [
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
    header: 'What happens',
    width: 152,
    small: 'aside',
    cell: (invitee, { tabIndex }) => <ChoiceMenu {...{ invitee, tabIndex }} />,
  },
];
