import { resetTwoFactorMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { UserSecurity } from '../../../api/generated/types.gen.ts';
import { useAllowed, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { exactDate } from '../../../lib/dates.ts';
import { counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { passOneWayDoor } from '../../../ui/dialog/one-way-door.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardRow } from '../../../ui/layout/Card.tsx';
import { Fact, Facts } from '../../../ui/layout/Facts.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import { useUser } from './-use-user.ts';
import { fullName } from './-user-query.ts';

/** What the user has set up to prove who they are, and the way out when it is lost. */
export function FactorCard({ security }: { security: UserSecurity }) {
  const { authenticatorDate, passkeys, recoveryCodesLeft } = security;
  const hasFactor = authenticatorDate !== null || passkeys > 0;
  return (
    <Card title="Second factor" actions={<StateBadge security={security} hasFactor={hasFactor} />}>
      <Facts>
        <Fact label="Authenticator app">
          {authenticatorDate === null ? 'Not set up' : `Set up on ${exactDate(authenticatorDate)}`}
        </Fact>
        <Fact label="Passkeys">{passkeys === 0 ? 'None' : passkeys}</Fact>
        <Fact label="Recovery codes">
          {hasFactor ? `${counted(recoveryCodesLeft, 'code', 'codes')} left` : 'None'}
        </Fact>
        <Fact label="API key">
          <KeyState security={security} />
        </Fact>
      </Facts>
      <ResetRow hasFactor={hasFactor} />
    </Card>
  );
}

function KeyState({ security: { apiKey, expiredApiKey } }: { security: UserSecurity }) {
  const key = apiKey ?? expiredApiKey;
  if (!key) return 'Off';
  return (
    <>
      {key.clientId}, turned on <Moment at={key.createdDate} />,{' '}
      {key.lastUsedDate ? (
        <>
          last used <Moment at={key.lastUsedDate} />
        </>
      ) : (
        'not used yet'
      )}
      {key.expiresDate && (
        <>
          , {apiKey ? 'expires' : 'expired'} <Moment at={key.expiresDate} />
        </>
      )}
    </>
  );
}

function StateBadge({ security, hasFactor }: { security: UserSecurity; hasFactor: boolean }) {
  if (hasFactor) return <Badge tone="ok">Set up</Badge>;
  return security.twoFactorEnabled ? (
    <Badge tone="warn">Required, not set up</Badge>
  ) : (
    <Badge>Not set up</Badge>
  );
}

function ResetRow({ hasFactor }: { hasFactor: boolean }) {
  const user = useUser();
  const session = useSession();
  const { reason } = useAllowed('resetTwoFactor');
  const reset = useWrite('resetTwoFactor', resetTwoFactorMutation());
  const name = fullName(user);
  const own =
    user.id === session.user.id ? 'This is your own: replace it on the page of your profile' : undefined;
  const none = hasFactor ? undefined : 'They have not set up a second factor';
  const ask = async () => {
    const done = await passOneWayDoor({
      title: `Reset the second factor of ${name}?`,
      final:
        'Their authenticator app, passkeys and recovery codes work no longer, and cannot be brought back.',
      breaks: `Every session of theirs ends at once. ${user.twoFactorEnabled ? 'Their next sign-in sets up a new second factor; it is not turned off.' : 'Their password alone opens the account until they set up a new one.'}`,
      affects: `${name}, who is told by e-mail. Make sure that it is they who ask for it.`,
      action: 'Reset the second factor',
      typed: user.email,
      run: () => reset.mutateAsync({ path: { userId: user.id } }),
    });
    if (done) toast({ title: `The second factor of ${name} was reset` });
  };
  return (
    <div className="user-card-end">
      <CardRow
        title="Reset a lost second factor"
        description="For somebody who has neither the app, nor a passkey, nor a recovery code any more."
        action={
          <Button variant="danger" disabledReason={reason ?? own ?? none} onClick={() => void ask()}>
            Reset…
          </Button>
        }
      />
    </div>
  );
}
