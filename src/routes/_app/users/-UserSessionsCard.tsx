import { endUserSessionsMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { SessionInfo } from '../../../api/generated/types.gen.ts';
import { useAllowed, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { deviceName } from '../../../lib/device.ts';
import { counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { SessionList } from '../profile/-SessionList.tsx';
import { useUser } from './-use-user.ts';
import { fullName } from './-user-query.ts';

/** Where the user is signed in to this site; an administrator may end that. */
export function UserSessionsCard({ sessions }: { sessions: readonly SessionInfo[] }) {
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
