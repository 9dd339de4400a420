import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { toServiceError } from '../../../api/errors.ts';
import { listUserChangesInfiniteOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { UserChange } from '../../../api/generated/types.gen.ts';
import { useDirectory } from '../../../directory/directory.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import { actionWords, idsIn, stepsOf } from '../model/change-words.ts';
import type { Names } from '../model/change-words.ts';
import { useNames } from './use-names.ts';

const PAGE = 50;

/** Everything that was changed on somebody, the newest first. */
export function ChangesOfUser({ userId }: { userId: number }) {
  const { data, error, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } =
    useInfiniteQuery({
      ...listUserChangesInfiniteOptions({ path: { userId }, query: { pageSize: PAGE } }),
      initialPageParam: 1,
      // A page that is not full is the last one (shapes 1).
      getNextPageParam: (page, pages) => (page.length < PAGE ? undefined : pages.length + 1),
    });
  const changes = data?.pages.flat();
  const names = useAllNames(changes ?? []);
  const failure = error === null ? undefined : toServiceError(error);
  return (
    <Card>
      {!changes && !failure && <SkeletonRows rows={5} />}
      {failure && (
        <ErrorState
          title="The changes could not be read"
          onRetry={failure.status === 501 ? undefined : () => void refetch()}
          retrying={isFetching}
          requestId={failure.requestId}
        >
          {failure.message}.
        </ErrorState>
      )}
      {changes?.length === 0 && (
        <EmptyState icon={History} title="No change is known">
          What is changed on this person is told here from the day it is recorded.
        </EmptyState>
      )}
      {changes && changes.length > 0 && (
        <ol className="user-changes" aria-label="Changes">
          {changes.map((change) => (
            <Change key={change.id} {...{ change, names }} />
          ))}
        </ol>
      )}
      {hasNextPage && (
        <footer className="user-changes-foot">
          <Button size="small" pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older
          </Button>
        </footer>
      )}
    </Card>
  );
}

function useAllNames(changes: readonly UserChange[]): Names {
  const { groups } = useDirectory();
  const user = useNames(idsIn(changes).people);
  return { user, group: (id) => groups.find((group) => group.id === id)?.name ?? `Group ${id}` };
}

function Change({ change, names }: { change: UserChange; names: Names }) {
  const steps = stepsOf(change, names);
  return (
    <li>
      <div className="user-change-head">
        <strong>{actionWords(change.action)}</strong>
        <span className="act-soft">
          <Moment at={change.date} /> · <Author change={change} />
          {change.ipAddress !== null && (
            <>
              {' '}
              · <span className="mono">{change.ipAddress}</span>
            </>
          )}
        </span>
      </div>
      {steps.length > 0 && (
        <dl>
          {steps.map(({ property, before, after }) => (
            <div key={property}>
              <dt>{property}</dt>
              <dd>
                {before !== undefined && (
                  <>
                    <del>{before}</del> <span aria-hidden>→</span>
                    <span className="visually-hidden"> became </span>{' '}
                  </>
                )}
                {after}
              </dd>
            </div>
          ))}
        </dl>
      )}
    </li>
  );
}

/** Whoever has left the site has no page there any longer; a proxy is told beside the person they acted for. */
function Author({ change }: { change: UserChange }) {
  const { changedBy, changedByName, proxyUserId, proxyUserName } = change;
  const by = changedBy === null ? 'the service' : <Person id={changedBy} name={changedByName} />;
  if (proxyUserId === null) return <>by {by}</>;
  return (
    <>
      by <Person id={proxyUserId} name={proxyUserName} /> for {by}
    </>
  );
}

function Person({ id, name }: { id: number; name: string | null }) {
  if (name === null) return <>user {id}</>;
  return (
    <Link to="/users/$userId" params={{ userId: id }}>
      {name}
    </Link>
  );
}
