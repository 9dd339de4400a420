import { useSuspenseQuery } from '@tanstack/react-query';
import {
  endOtherSessionsMutation,
  endOwnSessionMutation,
} from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { SessionInfo } from '../../../api/generated/types.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { deviceName } from '../../../lib/device.ts';
import { counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { failureOf } from '../../../ui/feedback/failure.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { Card } from '../../../ui/layout/Card.tsx';
import { sessionsQuery } from './-queries.ts';
import { SessionList } from './-SessionList.tsx';

/** Where the person is signed in, on every site. */
export function SessionsCard() {
  const { data: sessions } = useSuspenseQuery(sessionsQuery);
  const end = useWrite('endOwnSession', endOwnSessionMutation());
  const endOthers = useWrite('endOtherSessions', endOtherSessionsMutation());
  const others = sessions.filter(({ isCurrent }) => !isCurrent).length;

  const endOne = async ({ id, userAgent }: SessionInfo): Promise<boolean> => {
    try {
      await end.mutateAsync({ path: { sessionId: id } });
    } catch (thrown) {
      toast({ tone: 'bad', title: 'The session has not ended', description: failureOf(thrown).message });
      return false;
    }
    toast({ title: `The session of ${deviceName(userAgent)} has ended` });
    return true;
  };
  const endAll = async () => {
    const done = await confirm({
      title: `End ${counted(others, 'other session', 'other sessions')}?`,
      body: 'Whoever works there has to sign in again; what was typed and not saved waits for that. This session goes on.',
      action: 'End all others',
      danger: true,
      run: () => endOthers.mutateAsync({}),
    });
    if (done) toast({ title: 'This is your only session now' });
  };
  return (
    <Card
      title="Sessions and devices"
      actions={
        <Button
          size="small"
          disabledReason={others === 0 ? 'You have no other session' : undefined}
          onClick={() => void endAll()}
        >
          End all others…
        </Button>
      }
    >
      <SessionList
        sessions={sessions}
        withSite={new Set(sessions.map(({ site }) => site.id)).size > 1}
        onEnd={endOne}
      />
      <p className="profile-foot profile-soft">
        Ten at once are the most: a new one ends the one that was used longest ago.
      </p>
    </Card>
  );
}
