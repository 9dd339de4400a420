import { useQuery } from '@tanstack/react-query';
import type { SessionInfo, UserSecurity } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import {
  getUserSecurityOptions,
  endUserSessionsMutation,
  resetTwoFactorMutation,
} from '../../../api/generated/queries/access.gen.ts';
import { usePermission, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { useRequestedAction } from '../../../app/state/requested-action.ts';
import { formatExactDate } from '../../../lib/dates/dates.ts';
import { formatDeviceName } from '../../../lib/device-name.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { confirmIrreversible } from '../../../ui/dialog/confirm-irreversible.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardBody, CardRow, Fact, Facts } from '../../../ui/layout/Card.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import { toast } from '../../../ui/toast.ts';
import { SessionList } from '../../profile/index.ts';
import { formatFullName } from '../model/user-query.ts';
import { useUser } from './use-user.ts';

/** Second factor, sessions and API key of the user, for administrators. */
export function SecurityCards() {
  const { id: userId } = useUser();
  const { allowed, reason } = usePermission('getUserSecurity');
  const { data, error, refetch } = useQuery({
    ...getUserSecurityOptions({ path: { userId } }),
    enabled: allowed,
    staleTime: 0,
  });
  if (data)
    return (
      <>
        <SecondFactorCard security={data} />
        <UserSessionsCard sessions={data.sessions} />
      </>
    );
  return (
    <Card title="Second factor and sessions">
      {error ? (
        <ErrorState title="Unavailable" onRetry={() => void refetch()}>
          {toServiceError(error).message}
        </ErrorState>
      ) : (
        <CardBody>{allowed ? <Skeleton width="60%" /> : <p className="user-quiet">{reason}</p>}</CardBody>
      )}
    </Card>
  );
}

/** Sessions of the user on this site, which an administrator may end. */
function UserSessionsCard({ sessions }: { sessions: readonly SessionInfo[] }) {
  const user = useUser();
  const { site } = useSession();
  const { reason } = usePermission('endUserSessions');
  const end = useWrite('endUserSessions', endUserSessionsMutation());
  const name = formatFullName(user);
  const open = sessions.filter(({ isCurrent }) => !isCurrent).length;

  const endOne = async (session: SessionInfo): Promise<boolean> => {
    const done = await confirm({
      title: `End this session of ${name}?`,
      body: `They are signed out of ${site.name} on ${formatDeviceName(session.userAgent)} at once, and may sign in again.`,
      action: 'End the session',
      danger: true,
      run: () => end.mutateAsync({ path: { userId: user.id }, query: { sessionId: session.id } }),
    });
    if (done) toast({ title: `The session of ${name} has ended` });
    return done;
  };
  const endAll = async () => {
    const done = await confirm({
      title: `End ${pluralize(open, 'session', 'sessions')} of ${name}?`,
      body: `They are signed out of ${site.name} everywhere at once, and may sign in again. To keep them out, deactivate them.`,
      action: 'End all sessions',
      danger: true,
      run: () => end.mutateAsync({ path: { userId: user.id } }),
    });
    if (done) toast({ title: `${name} is signed out of ${site.name}` });
  };
  const endAllReason = reason ?? (open === 0 ? 'No open sessions' : undefined);
  useRequestedAction('endSessions', () => void endAll(), { id: user.id, disabledReason: endAllReason });
  return (
    <Card
      title="Sessions"
      actions={
        <Button size="small" disabledReason={endAllReason} onClick={() => void endAll()}>
          End all…
        </Button>
      }
    >
      {sessions.length === 0 ? (
        <CardBody>
          <p className="user-quiet">Not signed in to {site.name} now.</p>
        </CardBody>
      ) : (
        <SessionList sessions={sessions} showSite={false} disabledReason={reason} onEnd={endOne} />
      )}
    </Card>
  );
}

/** Second factor of the user, with the reset for a lost one. */
function SecondFactorCard({ security }: { security: UserSecurity }) {
  const { authenticatorDate, passkeys, recoveryCodesLeft } = security;
  const hasFactor = authenticatorDate !== null || passkeys > 0;
  return (
    <Card title="Second factor" actions={<FactorBadge security={security} hasFactor={hasFactor} />}>
      <Facts>
        <Fact label="Authenticator app">
          {authenticatorDate === null ? 'Not set up' : `Set up on ${formatExactDate(authenticatorDate)}`}
        </Fact>
        <Fact label="Passkeys">{passkeys === 0 ? 'None' : passkeys}</Fact>
        <Fact label="Recovery codes">
          {hasFactor ? `${pluralize(recoveryCodesLeft, 'code', 'codes')} left` : 'None'}
        </Fact>
        <Fact label="API key">
          <ApiKeyState security={security} />
        </Fact>
      </Facts>
      <ResetRow hasFactor={hasFactor} />
    </Card>
  );
}

function ApiKeyState({ security: { apiKey, expiredApiKey } }: { security: UserSecurity }) {
  const key = apiKey ?? expiredApiKey;
  if (!key) return 'Off';
  return (
    <>
      {key.clientId}, turned on <Timestamp at={key.createdDate} />,{' '}
      {key.lastUsedDate ? (
        <>
          last used <Timestamp at={key.lastUsedDate} />
        </>
      ) : (
        'not used yet'
      )}
      {key.expiresDate && (
        <>
          , {apiKey ? 'expires' : 'expired'} <Timestamp at={key.expiresDate} />
        </>
      )}
    </>
  );
}

function FactorBadge({ security, hasFactor }: { security: UserSecurity; hasFactor: boolean }) {
  if (hasFactor) return <Badge tone="ok">Set up</Badge>;
  return security.twoFactorEnabled ? (
    <Badge tone="warn">Required, not set up</Badge>
  ) : (
    <Badge>Not set up</Badge>
  );
}

/** Resets the second factor of the page's user after a typed confirmation. */
export function useFactorReset(): { reason: string | undefined; reset: () => Promise<void> } {
  const user = useUser();
  const session = useSession();
  const { reason } = usePermission('resetTwoFactor');
  const write = useWrite('resetTwoFactor', resetTwoFactorMutation());
  const name = formatFullName(user);
  const ownAccountReason =
    user.id === session.user.id ? 'This is your own account: replace it in your profile' : undefined;
  const reset = async () => {
    const done = await confirmIrreversible({
      title: `Reset the second factor of ${name}?`,
      irreversible:
        'Their authenticator app, passkeys and recovery codes stop working and cannot be restored.',
      breaks: `All their sessions end immediately. ${user.twoFactorEnabled ? 'They set up a new second factor at the next sign-in; it stays required.' : 'Their password alone is enough to sign in until they set up a new one.'}`,
      affects: `${name}, who is notified by e-mail. Verify that the request came from them.`,
      action: 'Reset the second factor',
      expectedText: user.email,
      run: () => write.mutateAsync({ path: { userId: user.id } }),
    });
    if (done) toast({ title: `The second factor of ${name} was reset` });
  };
  return { reason: reason ?? ownAccountReason, reset };
}

function ResetRow({ hasFactor }: { hasFactor: boolean }) {
  const { reason, reset } = useFactorReset();
  const { id: userId } = useUser();
  const noFactorReason = hasFactor ? undefined : 'They have not set up a second factor';
  useRequestedAction('resetSecondFactor', () => void reset(), {
    id: userId,
    disabledReason: reason ?? noFactorReason,
  });
  return (
    <div className="user-card-end">
      <CardRow
        title="Reset a lost second factor"
        description="For users who have lost their app, passkeys and recovery codes."
        action={
          <Button variant="danger" disabledReason={reason ?? noFactorReason} onClick={() => void reset()}>
            Reset…
          </Button>
        }
      />
    </div>
  );
}
