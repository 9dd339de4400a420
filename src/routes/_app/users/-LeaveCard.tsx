import { useRouter } from '@tanstack/react-router';
import { useAllowed, useSession } from '../../../api/session.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Card, CardRow } from '../../../ui/layout/Card.tsx';
import { useUserActions } from './-actions.ts';
import { useUser } from './-use-user.ts';
import { fullName } from './-user-query.ts';

/** The end of the membership: last on the page, and apart. */
export function LeaveCard() {
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
