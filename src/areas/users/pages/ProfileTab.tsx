import { getRouteApi, useRouter } from '@tanstack/react-router';
import { updateUserMutation } from '../../../api/generated/queries/users.gen.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { formatExactDate } from '../../../lib/dates/dates.ts';
import { formatTimeZoneName } from '../../../lib/dates/time-zones.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { cx } from '../../../ui/cx.ts';
import { confirmIrreversible } from '../../../ui/dialog/confirm-irreversible.tsx';
import { SwitchRow } from '../../../ui/form/Toggle.tsx';
import { Card, CardRow, Fact, Facts } from '../../../ui/layout/Card.tsx';
import { toast } from '../../../ui/toast.ts';
import { useUserActions } from '../model/actions.ts';
import { formatFullName } from '../model/user-query.ts';
import { AccessExplainer } from './AccessExplainer.tsx';
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
    <div className={cx('user-cols', 'user-cols-facts', edit && 'user-cols-one')}>
      <div className="user-main">
        {edit && <ProfileForm start={userWithEtag} onClose={close} />}
        <div id="access">
          <AccessExplainer onEditProfile={() => void open()} />
        </div>
        <AccessCard />
        <SecurityCards />
        <LeaveCard />
      </div>
      {!edit && (
        <div className="user-side">
          <ProfileCard onEdit={() => void open()} />
        </div>
      )}
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
  return <span className="user-author">{name === undefined ? '' : `by ${name}`}</span>;
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
