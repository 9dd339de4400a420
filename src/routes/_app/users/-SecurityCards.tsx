import { useQuery } from '@tanstack/react-query';
import { toServiceError } from '../../../api/errors.ts';
import { getUserSecurityOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { FactorCard } from './-FactorCard.tsx';
import { UserSessionsCard } from './-UserSessionsCard.tsx';
import { useUser } from './-use-user.ts';

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
