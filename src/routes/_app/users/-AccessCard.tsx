import { useRouter } from '@tanstack/react-router';
import { updateUserMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { useAllowed, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { SwitchRow } from '../../../ui/form/SwitchRow.tsx';
import { Card, CardRow } from '../../../ui/layout/Card.tsx';
import { useUserActions } from './-actions.ts';
import { useUser } from './-use-user.ts';
import { fullName } from './-user-query.ts';

const DOORS = {
  twoFactorEnabled: {
    label: 'Two-factor authentication',
    off: 'Not required. Once on, it cannot be turned off here or through the API.',
    on: 'Required, and it cannot be turned off here or through the API. Sign-in does not ask for the second factor yet.',
    meaning: 'A second factor is required of them. Sign-in does not ask for it yet.',
  },
  ipRestrictionsEnabled: {
    label: 'Only from approved addresses',
    off: 'Any address may be used. Once on, it cannot be turned off here or through the API.',
    on: 'Signs in only from the addresses this site approves. It cannot be turned off here or through the API.',
    meaning:
      'From now on they sign in only from the addresses this site approves. From anywhere else, and if none is approved, they cannot sign in.',
  },
} as const;

/** How the user gets in: two doors that open one way, then what takes access away. */
export function AccessCard() {
  const router = useRouter();
  const user = useUser();
  const { site } = useSession();
  const change = useAllowed('updateUser');
  const removal = useAllowed('removeUser');
  const { activate, deactivate, remove } = useUserActions();
  const person = { ...user, name: fullName(user) };
  return (
    <>
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
      <Card title="Leave this site">
        <CardRow
          title="Remove from site"
          description={`Ends their membership of ${site.name}. Their account stays on the platform and on other sites.`}
          action={
            <Button
              variant="danger"
              disabledReason={removal.reason}
              onClick={() =>
                void remove(person, () => router.navigate({ to: '/users', ignoreBlocker: true }))
              }
            >
              Remove from site…
            </Button>
          }
        />
      </Card>
    </>
  );
}

function OneWayDoor({ name }: { name: keyof typeof DOORS }) {
  const user = useUser();
  const update = useWrite('updateUser', updateUserMutation());
  const { reason } = useAllowed('updateUser');
  const { label, off, on, meaning } = DOORS[name];
  const isOn = user[name];
  const open = async () => {
    const done = await confirm({
      title: `Turn on “${label}” for ${fullName(user)}?`,
      body: `${meaning} This cannot be turned off again, neither here nor through the API.`,
      action: 'Turn on for good',
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
