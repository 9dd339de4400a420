import { updateUserMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { useAllowed, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { passOneWayDoor } from '../../../ui/dialog/one-way-door.tsx';
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
export function AccessCard() {
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
