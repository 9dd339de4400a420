import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck, CircleHelp, Info, ShieldX } from 'lucide-react';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { AccessCheck, AccessExplanation } from '../../../../contract/generated/types.gen.ts';
import { validateNetwork } from '../../../../contract/rules/networks.ts';
import { toServiceError } from '../../../api/errors.ts';
import { sendPasswordLinkMutation } from '../../../api/generated/queries/access.gen.ts';
import { explainAccessOptions } from '../../../api/generated/queries/settings.gen.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { toastFailedWrite } from '../../../app/state/failed-write.ts';
import { useRequestedAction } from '../../../app/state/requested-action.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Tile } from '../../../ui/layout/Tile.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { toast } from '../../../ui/toast.ts';
import { InvitationActionButton } from '../../invitations/index.ts';
import { answerAccess } from '../model/access-checks.ts';
import type { AccessAnswer, AccessGoalName } from '../model/access-checks.ts';
import { useUserActions } from '../model/actions.ts';
import { formatFullName } from '../model/user-query.ts';
import { useFactorReset } from './SecurityCards.tsx';
import { useUser } from './use-user.ts';

/** The goals in order: name of the choice, and the question about a person with this first name. */
const GOALS: Readonly<Record<AccessGoalName, { label: string; ask: (name: string) => string }>> = {
  signIn: { label: 'Sign in', ask: (name) => `Can ${name} sign in?` },
  callApi: { label: 'Call the API', ask: (name) => `Can programs of ${name} call the API?` },
  seeEntryType: { label: 'See entries', ask: (name) => `Can ${name} see an entry type?` },
  useWebService: { label: 'Use the web service', ask: (name) => `Can ${name} use the web service?` },
  actForUser: { label: 'Act for someone', ask: (name) => `Can ${name} act for someone?` },
  beInImport: {
    label: 'Be in an e-mail import',
    ask: (name) => `Can e-mails and meetings of ${name} be imported?`,
  },
  beInUserImport: { label: 'Be in a user import', ask: (name) => `Can an import change ${name}?` },
  downloadBackup: { label: 'Download a backup', ask: (name) => `Can ${name} download a backup?` },
  joinGroup: {
    label: 'Join a group',
    ask: (name) => `Can ${name} be added to a group without confirmation?`,
  },
  joinSite: {
    label: 'Join the site',
    ask: (name) => `Can ${name} be added to the site without confirmation?`,
  },
};
const isGoal = (name: string): name is AccessGoalName => name in GOALS;
const GOAL_NAMES = Object.keys(GOALS).filter(isGoal);
/** Goals that are always offered side by side; the others are in the menu. */
const FIRST_GOALS = GOAL_NAMES.slice(0, 3);

const CHECK_TITLES: Record<AccessCheck['check'], string> = {
  active: 'Active',
  membershipEnd: 'Membership',
  license: 'License',
  locked: 'Lock',
  password: 'Password',
  identityManager: 'Identity manager',
  twoFactor: 'Second factor',
  address: 'Address',
  groups: 'Groups',
  webService: 'Web service',
  apiKey: 'API key',
  proxies: 'Proxies',
  invitation: 'Invitation',
  readData: 'Read Data',
  principals: 'Principals',
  importSettings: 'Relationship Intelligence',
  importKinds: 'Collected items',
  importUser: 'Enabled user',
  importHistory: 'Historical upload',
  homeSite: 'Home site',
  manageBackups: 'Manage Backups',
  readyBackups: 'Backups',
  presence: 'Confirmation',
  downloadAddress: 'Download address',
  grantGroups: 'Manage Groups',
  member: 'Membership',
  existingUsers: 'Existing users',
  dedicatedDomain: 'Dedicated domain',
};

/**
 * Explains whether the user can reach a goal, such as signing in, from their last address or another one (spec 2.1, 3,
 * 5.4, 5.5). Failed checks come first, each with the action that fixes it; passed ones are folded.
 */
export function AccessExplainer({ onEditProfile }: { onEditProfile: () => void }) {
  const { id: userId, firstName } = useUser();
  const [goal, setGoal] = useState<AccessGoalName>('signIn');
  const [addressText, setAddressText] = useState('');
  const isAddress =
    addressText !== '' && !addressText.includes('/') && validateNetwork(addressText) === undefined;
  const { data, error, refetch } = useQuery({
    ...explainAccessOptions({ path: { userId }, ...(isAddress && { query: { ipAddress: addressText } }) }),
    placeholderData: keepPreviousData,
  });
  const shownGoals = [...new Set([...FIRST_GOALS, goal])];
  const usesAddress = data?.goals.some((one) => one.goal === goal && one.checks.includes('address')) ?? false;
  return (
    <Card
      title={GOALS[goal].ask(firstName)}
      actions={
        <div className="access-goals">
          <SegmentedControl
            label="Question"
            options={shownGoals.map((value) => ({ value, label: GOALS[value].label }))}
            value={goal}
            onChange={setGoal}
          />
          <MenuButton
            label="More questions"
            size="small"
            variant="quiet"
            items={GOAL_NAMES.filter((name) => !shownGoals.includes(name)).map((name) => ({
              label: GOALS[name].label,
              onSelect: () => setGoal(name),
            }))}
          >
            More…
          </MenuButton>
        </div>
      }
    >
      {data ? (
        <>
          <Answer explanation={data} goal={goal} onEditProfile={onEditProfile} />
          {usesAddress && (
            <AddressField
              value={addressText}
              known={data.ipAddress}
              error={addressText === '' || isAddress ? undefined : 'Enter a complete IPv4 or IPv6 address'}
              onChange={setAddressText}
            />
          )}
        </>
      ) : error ? (
        <ErrorState title="Unavailable" onRetry={() => void refetch()}>
          {toServiceError(error).message}
        </ErrorState>
      ) : (
        <CardBody>
          <Skeleton width="70%" />
        </CardBody>
      )}
    </Card>
  );
}

interface AnswerProps {
  explanation: AccessExplanation;
  goal: AccessGoalName;
  onEditProfile: () => void;
}

const ANSWERS = {
  yes: { tone: 'ok', label: 'Yes' },
  no: { tone: 'bad', label: 'No' },
  unknown: { tone: 'warn', label: 'Not known' },
} as const;

function formatVerdict({ answer, failed, notices }: AccessAnswer): string {
  if (answer === 'no') return `${pluralize(failed.length, 'check fails', 'checks fail')}.`;
  if (answer === 'yes') return 'Nothing prevents it.';
  const unknown = notices.filter(({ state }) => state === 'unknown').length;
  return `No check fails. ${pluralize(unknown, 'result', 'results')} cannot be determined here.`;
}

function Answer({ explanation, goal, onEditProfile }: AnswerProps) {
  const result = answerAccess(explanation, goal);
  const { failed, notices, passed } = result;
  const { tone, label } = ANSWERS[result.answer];
  const fixOf = useFixes(explanation.ipAddress, onEditProfile);
  return (
    <>
      <p className="access-verdict">
        <Badge tone={tone}>{label}</Badge>
        {formatVerdict(result)}
      </p>
      <ul className="access-list" aria-label="Checks">
        {failed.map((check, at) => (
          <CheckRow key={check.check} check={check} action={fixOf(check, at === 0)} />
        ))}
        {notices.map((check) => (
          <CheckRow key={check.check} check={check} action={fixOf(check, false)} />
        ))}
      </ul>
      {passed.length > 0 && (
        <details className="access-passed">
          <summary>
            <CircleCheck />
            <strong>{pluralize(passed.length, 'check passes', 'checks pass')}</strong>
            <span>{passed.map(({ check }) => CHECK_TITLES[check]).join(', ')}</span>
          </summary>
          <ul>
            {passed.map(({ check, message }) => (
              <li key={check}>{message}</li>
            ))}
          </ul>
        </details>
      )}
    </>
  );
}

const STATE_ICONS = { fails: ShieldX, notice: Info, unknown: CircleHelp, passes: CircleCheck };
const STATE_LABELS = { fails: 'Fails', notice: 'Note', unknown: 'Not known', passes: 'Passes' };

function CheckRow({
  check: { check, state, message, remedy },
  action,
}: {
  check: AccessCheck;
  action: ReactNode;
}) {
  return (
    <li className={`access-check access-${state}`}>
      <Tile icon={STATE_ICONS[state]} tone={state === 'fails' ? 'bad' : 'neutral'} />
      <div className="access-text">
        <p>
          <span className="visually-hidden">
            {STATE_LABELS[state]}, {CHECK_TITLES[check]}:{' '}
          </span>
          {message}
        </p>
        {remedy !== null && remedy !== undefined && <p className="access-remedy">{remedy}</p>}
      </div>
      {action}
    </li>
  );
}

/** Returns the button or link that fixes a check; nothing where the viewer cannot do it for the user. */
function useFixes(ipAddress: string | null, onEditProfile: () => void) {
  const user = useUser();
  const session = useSession();
  const { activate } = useUserActions();
  const factor = useFactorReset();
  const link = useWrite('sendPasswordLink', sendPasswordLinkMutation());
  const update = usePermission('updateUser');
  const permissions = {
    license: usePermission('updateUserLicense'),
    link: usePermission('sendPasswordLink'),
    addresses: usePermission('updateApprovedAddresses'),
    groups: usePermission('assignGroups'),
    proxies: usePermission('updateProxies'),
    imports: usePermission('getRelationshipSettings'),
    backup: usePermission('requestBackup'),
    invite: usePermission('inviteExistingUser'),
  };
  const sendLink = async () => {
    try {
      await link.mutateAsync({ path: { userId: user.id } });
      toast({
        title: `A link to set a password was sent to ${user.email}`,
        description: 'It is valid for 24 hours.',
      });
    } catch (error) {
      toastFailedWrite('The link', 'sent', error);
    }
  };
  const confirmLink = async () =>
    confirm({
      title: `Send ${formatFullName(user)} a link to set a password?`,
      body: `The link goes to ${user.email} and is valid for 24 hours.`,
      action: 'Send the link',
      run: sendLink,
    });
  useRequestedAction('sendPasswordLink', () => void confirmLink(), {
    id: user.id,
    disabledReason: permissions.link.reason,
  });
  const userPath = { userId: user.id };

  return ({ fix }: AccessCheck, isFirst: boolean): ReactNode => {
    const variant = isFirst ? 'primary' : undefined;
    const button = (label: string, reason: string | undefined, run: () => void, pending = false) => (
      <Button size="small" variant={variant} disabledReason={reason} pending={pending} onClick={run}>
        {label}
      </Button>
    );
    const className = buttonClass({ size: 'small', variant });
    // A disabled button shows the reason; a link cannot be disabled.
    const linkTo = (label: string, reason: string | undefined, shown: ReactNode) =>
      reason === undefined ? shown : button(label, reason, () => undefined);
    switch (fix) {
      case 'activate':
        return button('Activate…', update.reason, () => {
          void activate({ ...user, name: formatFullName(user) });
        });
      case 'sendPasswordLink':
        return button('Send a link', permissions.link.reason, () => void sendLink(), link.isPending);
      case 'resetSecondFactor':
        return button('Reset second factor…', factor.reason, () => void factor.reset());
      case 'setFederationId':
        return button('Set federation id', update.reason, onEditProfile);
      case 'giveLicense':
        return linkTo(
          'Give a license',
          permissions.license.reason,
          <Link to="/users/$userId/license" params={userPath} className={className}>
            Give a license
          </Link>,
        );
      case 'addToGroup':
        return linkTo(
          'Add to groups',
          permissions.groups.reason,
          <Link to="/users/$userId/groups" params={userPath} className={className}>
            Add to groups
          </Link>,
        );
      case 'approveAddress':
        return linkTo(
          `Approve ${ipAddress ?? ''}…`,
          permissions.addresses.reason,
          <Link
            to="/settings/addresses"
            search={ipAddress === null ? {} : { add: ipAddress }}
            className={className}
          >
            Approve {ipAddress}…
          </Link>,
        );
      case 'extendMembership':
        return <InvitationActionButton action="extend" user={user} variant={variant} />;
      case 'resendInvitation':
        return <InvitationActionButton action="resend" user={user} variant={variant} />;
      case 'assignProxy':
        return linkTo(
          'Assign as a proxy…',
          permissions.proxies.reason,
          <Link to="/proxies/assign" search={{ delegate: user.id }} className={className}>
            Assign as a proxy…
          </Link>,
        );
      case 'openProxies':
        return (
          <Link to="/users/$userId/proxies" params={userPath} className={className}>
            Show principals
          </Link>
        );
      case 'openImportSettings':
        return linkTo(
          'Import settings',
          permissions.imports.reason,
          <Link to="/imports/settings" className={className}>
            Import settings
          </Link>,
        );
      case 'requestBackup':
        return linkTo(
          'Request a backup…',
          permissions.backup.reason,
          <Link to="/backups/new" className={className}>
            Request a backup…
          </Link>,
        );
      case 'invite':
        return linkTo(
          'Invite…',
          permissions.invite.reason,
          <Link to="/invitations/new" search={{ email: user.email }} className={className}>
            Invite…
          </Link>,
        );
      case 'turnOnApiKey':
        return user.id === session.user.id ? (
          <Link to="/profile" className={className}>
            Turn on an API key
          </Link>
        ) : null;
      case undefined:
        return null;
    }
    return null;
  };
}

interface AddressFieldProps {
  value: string;
  /** The address the user last used. */
  known: string | null;
  error: string | undefined;
  onChange: (address: string) => void;
}

function AddressField({ value, known, error, onChange }: AddressFieldProps) {
  return (
    <div className="access-foot">
      <label>
        From the address
        <input
          className="input"
          value={value}
          placeholder={known ?? 'Not known'}
          aria-invalid={error !== undefined}
          onChange={({ target }) => onChange(target.value.trim())}
        />
      </label>
      {error !== undefined && <p>{error}</p>}
    </div>
  );
}
