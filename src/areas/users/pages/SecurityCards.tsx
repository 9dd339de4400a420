import { useQuery } from '@tanstack/react-query';
import { toServiceError } from '../../../api/errors.ts';
import {
  getUserSecurityOptions,
  endUserSessionsMutation,
  resetTwoFactorMutation,
} from '../../../api/generated/@tanstack/react-query.gen.ts';
import { useAllowed, useSession } from '../../../api/session.ts';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { Card, CardBody, CardRow } from '../../../ui/layout/Card.tsx';
import { useUser } from './use-user.ts';
import type { SessionInfo, UserSecurity } from '../../../api/generated/types.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { deviceName } from '../../../lib/device.ts';
import { counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { SessionList } from '../../profile/pages/SessionList.tsx';
import { fullName } from '../model/user-query.ts';
import { exactDate } from '../../../lib/dates.ts';
import { passOneWayDoor } from '../../../ui/dialog/one-way-door.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Fact, Facts } from '../../../ui/layout/Facts.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';

/** How the account of the user is protected, for whoever may help them. */
export function SecurityCards() {
  const { id: userId } = useUser();
  const { allowed, reason } = useAllowed('getUserSecurity');
  const { data, error, refetch } = useQuery({
    ...getUserSecurityOptions({ path: { userId } }),
    enabled: allowed,
    staleTime: 0,
  });
  if (data)
    return (
      <>
        <FactorCard security={data} />
        <UserSessionsCard sessions={data.sessions} />
      </>
    );
  return (
    <Card title="Second factor and sessions">
      {error ? (
        <ErrorState title="Not known" onRetry={() => void refetch()}>
          {toServiceError(error).message}
        </ErrorState>
      ) : (
        <CardBody>{allowed ? <Skeleton width="60%" /> : <p className="user-quiet">{reason}</p>}</CardBody>
      )}
    </Card>
  );
}

/** Where the user is signed in to this site; an administrator may end that. */
function UserSessionsCard({ sessions }: { sessions: readonly SessionInfo[] }) {
  const user = useUser();
  const { site } = useSession();
  const { reason } = useAllowed('endUserSessions');
  const end = useWrite('endUserSessions', endUserSessionsMutation());
  const name = fullName(user);
  const open = sessions.filter(({ isCurrent }) => !isCurrent).length;

  const endOne = async (session: SessionInfo): Promise<boolean> => {
    const done = await confirm({
      title: `End this session of ${name}?`,
      body: `They are signed out of ${site.name} on ${deviceName(session.userAgent)} at once, and may sign in again.`,
      action: 'End the session',
      danger: true,
      run: () => end.mutateAsync({ path: { userId: user.id }, query: { sessionId: session.id } }),
    });
    if (done) toast({ title: `The session of ${name} has ended` });
    return done;
  };
  const endAll = async () => {
    const done = await confirm({
      title: `End ${counted(open, 'session', 'sessions')} of ${name}?`,
      body: `They are signed out of ${site.name} everywhere at once, and may sign in again. To keep them out, deactivate them.`,
      action: 'End all sessions',
      danger: true,
      run: () => end.mutateAsync({ path: { userId: user.id } }),
    });
    if (done) toast({ title: `${name} is signed out of ${site.name}` });
  };
  return (
    <Card
      title="Sessions"
      actions={
        <Button
          size="small"
          disabledReason={reason ?? (open === 0 ? 'There is no session to end' : undefined)}
          onClick={() => void endAll()}
        >
          End all…
        </Button>
      }
    >
      {sessions.length === 0 ? (
        <CardBody>
          <p className="user-quiet">Not signed in to {site.name} now.</p>
        </CardBody>
      ) : (
        <SessionList sessions={sessions} withSite={false} disabledReason={reason} onEnd={endOne} />
      )}
    </Card>
  );
}

/** What the user has set up to prove who they are, and the way out when it is lost. */
function FactorCard({ security }: { security: UserSecurity }) {
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
