import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { Check, CircleHelp, Info, X } from 'lucide-react';
import { useState } from 'react';
import type { AccessCheck, AccessExplanation } from '../../../../contract/generated/types.gen.ts';
import { validateNetwork } from '../../../../contract/rules/networks.ts';
import { toServiceError } from '../../../api/errors.ts';
import {
  updateUserMutation,
  explainAccessOptions,
} from '../../../api/generated/@tanstack/react-query.gen.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { formatExactDate } from '../../../lib/dates.ts';
import { formatTimeZoneName } from '../../../lib/time-zones.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { confirmIrreversible } from '../../../ui/dialog/confirm-irreversible.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { SwitchRow } from '../../../ui/form/Toggle.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardRow, Fact, Facts, CardBody } from '../../../ui/layout/Card.tsx';
import { toast } from '../../../ui/toast.ts';
import { useUserActions } from '../model/actions.ts';
import { formatFullName } from '../model/user-query.ts';
import { ProfileForm } from './ProfileForm.tsx';
import { SecurityCards } from './SecurityCards.tsx';
import { useTaggedUser, useUser, useUserName } from './use-user.ts';

const route = getRouteApi('/_app/users/$userId/');

/** Profile, access and security of the user. The URL tells whether the profile is edited. */
export function ProfileTab() {
  const userWithEtag = useTaggedUser();
  const { edit } = route.useSearch();
  const navigate = route.useNavigate();
  // Replaces the history entry, so that Back does not step through the form.
  const open = () => navigate({ search: { edit: true }, replace: true });
  const close = () => navigate({ search: {}, replace: true, ignoreBlocker: true });
  return (
    <div className="user-cols">
      <div className="user-main">
        {edit ? (
          <ProfileForm start={userWithEtag} onClose={close} />
        ) : (
          <ProfileCard onEdit={() => void open()} />
        )}
        <AccessCard />
        <SecurityCards />
        <LeaveCard />
      </div>
      <div className="user-side">
        <SignInCard />
      </div>
    </div>
  );
}

/** Card for removing the user from the site. */
function LeaveCard() {
  const router = useRouter();
  const user = useUser();
  const { site } = useSession();
  const removal = usePermission('removeUser');
  const { remove } = useUserActions();
  const person = { ...user, name: formatFullName(user) };
  return (
    <Card title="Membership">
      <CardRow
        title="Remove from site"
        description={`Ends their membership of ${site.name}. Their account stays on the platform and on other sites.`}
        action={
          <Button
            variant="danger"
            disabledReason={removal.reason}
            onClick={() => void remove(person, () => router.navigate({ to: '/users', ignoreBlocker: true }))}
          >
            Remove from site…
          </Button>
        }
      />
    </Card>
  );
}

/** Profile for reading. */
function ProfileCard({ onEdit }: { onEdit: () => void }) {
  const user = useUser();
  const { reason } = usePermission('updateUser');
  return (
    <Card
      title="Profile"
      actions={
        <Button size="small" disabledReason={reason} onClick={onEdit}>
          Edit
        </Button>
      }
    >
      <Facts>
        <Fact label="First name">{user.firstName}</Fact>
        <Fact label="Last name">{user.lastName}</Fact>
        <Fact label="E-mail">
          {user.email} <CopyButton value={user.email} label="Copy e-mail" />
        </Fact>
        <Fact label="Time zone">
          {user.timeZone ? formatTimeZoneName(user.timeZone) : 'Same as the site'}
        </Fact>
        <Fact label="User entry">
          {user.userEntryId ? (
            <>
              <span className="mono">{user.userEntryId}</span>{' '}
              <CopyButton value={String(user.userEntryId)} label="Copy entry id" />
            </>
          ) : (
            <span className="user-quiet">None</span>
          )}
        </Fact>
        <Fact label="Federation id">
          <FederationId value={user.federationId} />
        </Fact>
        <Fact label="Created">
          {formatExactDate(user.createdDate)} <AuthorName userId={user.createdBy} />
        </Fact>
        <Fact label="Changed">
          {formatExactDate(user.modifiedDate)} <AuthorName userId={user.modifiedBy} />
        </Fact>
      </Facts>
    </Card>
  );
}

// With an identity manager the field has no effect (spec 2.1).
function FederationId({ value }: { value: string | null | undefined }) {
  const { site } = useSession();
  const unused = site.identityMode === 'identity-manager';
  if (value) return unused ? `${value} (without effect: an identity manager signs people in)` : value;
  return (
    <span className="user-quiet">
      {unused ? 'Without effect: an identity manager signs people in' : 'None: they sign in with a password'}
    </span>
  );
}

function AuthorName({ userId }: { userId: number | null }) {
  const name = useUserName(userId);
  return name === undefined ? null : `by ${name}`;
}

const ONE_WAY_SWITCHES = {
  twoFactorEnabled: {
    label: 'Two-factor authentication',
    off: 'Not required. Once on, it cannot be turned off here or through the API.',
    on: 'Required at every sign-in, and it cannot be turned off here or through the API.',
    breaks:
      'Their password alone is no longer enough: from the next sign-in a second factor is required, and they set one up first if they have none. Programs with their API key are not affected.',
    affects: (name: string, _site: string) => `${name}, on every site they belong to.`,
  },
  ipRestrictionsEnabled: {
    label: 'Only from approved addresses',
    off: 'Any address may be used. Once on, it cannot be turned off here or through the API.',
    on: 'Signs in only from the addresses this site approves. It cannot be turned off here or through the API.',
    breaks:
      'They can no longer sign in from addresses that the site does not approve, and their programs can no longer call the API. If no address is approved, they cannot sign in at all.',
    affects: (name: string, site: string) => `${name}, and programs with their API key on ${site}.`,
  },
} as const;

/** Access of the user: one-way switches, and activation. */
function AccessCard() {
  const user = useUser();
  const change = usePermission('updateUser');
  const { activate, deactivate } = useUserActions();
  const person = { ...user, name: formatFullName(user) };
  return (
    <Card title="Access">
      <OneWaySwitch name="twoFactorEnabled" />
      <OneWaySwitch name="ipRestrictionsEnabled" />
      {user.isActive ? (
        <CardRow
          title="Deactivate"
          description="Signs them out everywhere; data, license and groups stay."
          action={
            <Button disabledReason={change.reason} onClick={() => void deactivate(person)}>
              Deactivate…
            </Button>
          }
        />
      ) : (
        <CardRow
          title="Activate"
          description="They can sign in again with the password, license and groups they had."
          action={
            <Button disabledReason={change.reason} onClick={() => void activate(person)}>
              Activate…
            </Button>
          }
        />
      )}
    </Card>
  );
}

function OneWaySwitch({ name }: { name: keyof typeof ONE_WAY_SWITCHES }) {
  const user = useUser();
  const { site } = useSession();
  const update = useWrite('updateUser', updateUserMutation());
  const { reason } = usePermission('updateUser');
  const { label, off, on, breaks, affects } = ONE_WAY_SWITCHES[name];
  const isOn = user[name];
  const confirmSwitch = async () => {
    const done = await confirmIrreversible({
      title: `Turn on “${label}” for ${formatFullName(user)}?`,
      irreversible: 'This cannot be turned off again, here or through the API.',
      breaks,
      affects: affects(formatFullName(user), site.name),
      action: 'Turn on permanently',
      expectedText: user.email,
      run: () => update.mutateAsync({ body: { id: user.id, [name]: true } }),
    });
    if (done) toast({ title: `${label} is on for ${formatFullName(user)}` });
  };
  return (
    <SwitchRow
      label={label}
      hint={isOn ? on : off}
      checked={isOn}
      disabledReason={isOn ? on : reason}
      onChange={() => void confirmSwitch()}
    />
  );
}

const STATE_ICONS = { passes: Check, fails: X, notice: Info, unknown: CircleHelp };
const STATE_LABELS = { passes: 'Passes', fails: 'Fails', notice: 'Note', unknown: 'Not known' };

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
};

/**
 * Explains whether the user can sign in and how to fix problems (spec 2.1, 3, 5.4), from their last address or another
 * one.
 */
function SignInCard() {
  const { id: userId, firstName } = useUser();
  const [addressText, setAddressText] = useState('');
  const isAddress =
    addressText !== '' && !addressText.includes('/') && validateNetwork(addressText) === undefined;
  const { data, error, refetch } = useQuery({
    ...explainAccessOptions({ path: { userId }, ...(isAddress && { query: { ipAddress: addressText } }) }),
    placeholderData: keepPreviousData,
  });
  return (
    <Card
      title={`Can ${firstName} sign in?`}
      actions={data && <Verdict isYes={data.canSignIn}>{data.canSignIn ? 'Yes' : 'No'}</Verdict>}
    >
      {data ? (
        <Explanation
          explanation={data}
          addressText={addressText}
          onAddressChange={setAddressText}
          addressError={addressText === '' || isAddress ? undefined : 'Enter a complete IPv4 or IPv6 address'}
        />
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

function Verdict({ isYes, children }: { isYes: boolean; children: string }) {
  return <Badge tone={isYes ? 'ok' : 'bad'}>{children}</Badge>;
}

interface ExplanationProps {
  explanation: AccessExplanation;
  addressText: string;
  onAddressChange: (address: string) => void;
  addressError: string | undefined;
}

/** Checks that concern only programs; they are no error for interactive sign-in. */
const PROGRAM_CHECKS: ReadonlySet<AccessCheck['check']> = new Set<AccessCheck['check']>([
  'webService',
  'apiKey',
]);

function Explanation({ explanation, addressText, onAddressChange, addressError }: ExplanationProps) {
  const { checks, ipAddress, canCallInterface } = explanation;
  return (
    <>
      <Checks checks={checks.filter(({ check }) => !PROGRAM_CHECKS.has(check))} />
      <div className="user-check-foot">
        <span>
          Can a program with their key call the API?{' '}
          <Verdict isYes={canCallInterface}>{canCallInterface ? 'Yes' : 'No'}</Verdict>
        </span>
      </div>
      <Checks checks={checks.filter(({ check }) => PROGRAM_CHECKS.has(check))} />
      <div className="user-check-foot">
        <label className="user-check-from">
          From the address
          <input
            className="input"
            value={addressText}
            placeholder={ipAddress ?? 'Not known'}
            aria-invalid={addressError !== undefined}
            onChange={({ target }) => onAddressChange(target.value.trim())}
          />
        </label>
        {addressError !== undefined && <p className="user-check-fault">{addressError}</p>}
      </div>
    </>
  );
}

function Checks({ checks }: { checks: readonly AccessCheck[] }) {
  return (
    <ul className="user-checks">
      {checks.map(({ check, state, message, remedy }) => {
        const Mark = STATE_ICONS[state];
        return (
          <li key={check} className={`user-check user-check-${state}`}>
            <Mark />
            <span>
              <span className="visually-hidden">{STATE_LABELS[state]}: </span>
              {CHECK_TITLES[check]}
            </span>
            <p>
              {message}
              {remedy !== null && remedy !== undefined && <> {remedy}</>}
            </p>
          </li>
        );
      })}
    </ul>
  );
}
