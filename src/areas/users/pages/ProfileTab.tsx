import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useTaggedUser, useUser } from './use-user.ts';
import { ProfileForm } from './ProfileForm.tsx';
import { SecurityCards } from './SecurityCards.tsx';
import { SignInCard } from './SignInCard.tsx';
import { useAllowed, useSession } from '../../../api/session.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Card, CardRow } from '../../../ui/layout/Card.tsx';
import { useUserActions } from '../model/actions.ts';
import { fullName } from '../model/user-query.ts';
import { exactDate } from '../../../lib/dates.ts';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Fact, Facts } from '../../../ui/layout/Facts.tsx';
import { usePersonName } from './use-person-name.ts';
import { updateUserMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { passOneWayDoor } from '../../../ui/dialog/one-way-door.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { SwitchRow } from '../../../ui/form/SwitchRow.tsx';

const route = getRouteApi('/_app/users/$userId/');

/** Who the user is, how they get in, and whether they can. The address says whether the profile is edited. */
export function ProfileTab() {
  const tagged = useTaggedUser();
  const { edit } = route.useSearch();
  const navigate = route.useNavigate();
  // Back leads to where one came from, not into and out of the form.
  const open = () => navigate({ search: { edit: true }, replace: true });
  const close = () => navigate({ search: {}, replace: true, ignoreBlocker: true });
  return (
    <div className="user-cols">
      <div className="user-main">
        {edit ? <ProfileForm start={tagged} onClose={close} /> : <ProfileCard onEdit={() => void open()} />}
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

/** The end of the membership: last on the page, and apart. */
function LeaveCard() {
  const router = useRouter();
  const user = useUser();
  const { site } = useSession();
  const removal = useAllowed('removeUser');
  const { remove } = useUserActions();
  const person = { ...user, name: fullName(user) };
  return (
    <Card title="Leave this site">
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

/** What is known about the user, to read. */
function ProfileCard({ onEdit }: { onEdit: () => void }) {
  const user = useUser();
  const { reason } = useAllowed('updateUser');
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
          {exactDate(user.createdDate)} <By userId={user.createdBy} />
        </Fact>
        <Fact label="Changed">
          {exactDate(user.modifiedDate)} <By userId={user.modifiedBy} />
        </Fact>
      </Facts>
    </Card>
  );
}

// Spec 2.1: with an identity manager the field has no effect.
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

function By({ userId }: { userId: number | null }) {
  const name = usePersonName(userId);
  return name === undefined ? null : `by ${name}`;
}

const DOORS = {
  twoFactorEnabled: {
    label: 'Two-factor authentication',
    off: 'Not required. Once on, it cannot be turned off here or through the API.',
    on: 'Required at every sign-in, and it cannot be turned off here or through the API.',
    breaks:
      'Their password alone opens nothing any more: from the next sign-in on a second factor is asked for, and whoever has none sets one up first. Programs with their API key go on.',
    affects: (name: string, _site: string) => `${name}, on every site they belong to.`,
  },
  ipRestrictionsEnabled: {
    label: 'Only from approved addresses',
    off: 'Any address may be used. Once on, it cannot be turned off here or through the API.',
    on: 'Signs in only from the addresses this site approves. It cannot be turned off here or through the API.',
    breaks:
      'From every address that the site does not approve they can no longer sign in, and their programs can no longer call the interface. If none is approved, they get in from nowhere.',
    affects: (name: string, site: string) =>
      `${name}, and whoever runs programs with their API key on ${site}.`,
  },
} as const;

/** How the user gets in: two doors that open one way, and what takes access away for a time. */
function AccessCard() {
  const user = useUser();
  const change = useAllowed('updateUser');
  const { activate, deactivate } = useUserActions();
  const person = { ...user, name: fullName(user) };
  return (
    <Card title="Access">
      <OneWayDoor name="twoFactorEnabled" />
      <OneWayDoor name="ipRestrictionsEnabled" />
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

function OneWayDoor({ name }: { name: keyof typeof DOORS }) {
  const user = useUser();
  const { site } = useSession();
  const update = useWrite('updateUser', updateUserMutation());
  const { reason } = useAllowed('updateUser');
  const { label, off, on, breaks, affects } = DOORS[name];
  const isOn = user[name];
  const open = async () => {
    const done = await passOneWayDoor({
      title: `Turn on “${label}” for ${fullName(user)}?`,
      final: 'This cannot be turned off again, neither here nor through the API.',
      breaks,
      affects: affects(fullName(user), site.name),
      action: 'Turn on for good',
      typed: user.email,
      run: () => update.mutateAsync({ body: { id: user.id, [name]: true } }),
    });
    if (done) toast({ title: `${label} is on for ${fullName(user)}` });
  };
  return (
    <SwitchRow
      label={label}
      hint={isOn ? on : off}
      checked={isOn}
      disabledReason={isOn ? on : reason}
      onChange={() => void open()}
    />
  );
}
