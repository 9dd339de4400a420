import { TEMPORARY } from '../../../../contract/rules/invitations.ts';
import { Link } from '@tanstack/react-router';
import { ChevronDown } from 'lucide-react';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Tone } from '../../../ui/layout/tone.ts';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import type { Choice, Invitee, Outcome } from '../model/choices.ts';
import { choose } from '../model/draft.ts';
import { inDays } from '../model/terms.ts';

type Place = { tabIndex: 0 | -1 };

const OUTCOMES: Record<Outcome, { label: string; tone: Tone }> = {
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

/** Where the words of the badge and the way on say not all. */
const SAYS_MORE: ReadonlySet<Outcome> = new Set(['invitable', 'closed', 'faulty', 'repeated', 'unchecked']);

const CHOICES: Record<Choice, { label: string; hint: string }> = {
  invite: { label: 'Invite', hint: 'They get an e-mail and become a member when they accept' },
  add: { label: 'Add now', hint: 'They are a member at once, without being asked' },
  resend: { label: 'Send again', hint: 'A new e-mail; the earlier link stops working' },
  skip: { label: 'Leave out', hint: 'Nothing happens' },
};

/** Where to go with an address that needs something else. */
function WayOn({ invitee: { outcome, email, userId }, tabIndex }: { invitee: Invitee } & Place) {
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

function Found({ invitee, tabIndex }: { invitee: Invitee } & Place) {
  const { outcome, message } = invitee;
  const { label, tone } = OUTCOMES[outcome];
  return (
    <span className="inv-found" title={message}>
      <Badge tone={tone}>{label}</Badge> <WayOn invitee={invitee} tabIndex={tabIndex} />
      {SAYS_MORE.has(outcome) && <span className="person-soft">{message}</span>}
    </span>
  );
}

/** What will happen, with the days of a membership that ends. */
function labelOf({ choice, terms: { type, days } }: Invitee): string {
  const { label } = CHOICES[choice];
  return choice === 'invite' && type === TEMPORARY && days !== undefined
    ? `${label}, ${inDays(days)}`
    : label;
}

function ChoiceMenu({ invitee, tabIndex }: { invitee: Invitee } & Place) {
  const { key, email, options, choice, outcome } = invitee;
  const label = labelOf(invitee);
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
          ...CHOICES[option.choice],
          disabledReason: option.reason,
          checked: option.choice === choice,
          oneOf: true,
          closes: true,
          onSelect: () => choose(key, option.choice),
        }))
      }
    >
      {label}
      <ChevronDown />
    </MenuButton>
  );
}

/** The columns of what is about to be sent. */
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
    header: 'What is known',
    minWidth: 200,
    small: 'line',
    cell: (invitee, { tabIndex }) => <Found {...{ invitee, tabIndex }} />,
  },
  {
    id: 'choice',
    header: 'What happens',
    width: 152,
    small: 'aside',
    cell: (invitee, { tabIndex }) => <ChoiceMenu {...{ invitee, tabIndex }} />,
  },
];
