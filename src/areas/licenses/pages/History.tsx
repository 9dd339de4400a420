import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { History as HistoryIcon } from 'lucide-react';
import { licenseName } from '../../../../contract/rules/licenses.ts';
import { toServiceError } from '../../../api/errors.ts';
import { getUserLicenseHistoryInfiniteOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { UserLicenseChange } from '../../../api/generated/types.gen.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import { billableChange, difference } from '../model/billable-effect.ts';
import './history.css';

const PAGE = 20;

/** Every license that somebody was given on this site, the newest first: by whom, and what it did to the bill. */
export function LicenseHistory({ userId }: { userId: number }) {
  const { data, error, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } =
    useInfiniteQuery({
      ...getUserLicenseHistoryInfiniteOptions({ path: { userId }, query: { pageSize: PAGE } }),
      initialPageParam: 1,
      // A page that is not full is the last one (shapes 1).
      getNextPageParam: (page, pages) => (page.length < PAGE ? undefined : pages.length + 1),
    });
  const changes = data?.pages.flat();
  const failure = error === null ? undefined : toServiceError(error);
  return (
    <Card title="History">
      {!changes && !failure && <SkeletonRows rows={3} />}
      {failure && (
        <div>
          <ErrorState
            title="The history could not be read"
            onRetry={failure.status === 501 ? undefined : () => void refetch()}
            retrying={isFetching}
            requestId={failure.requestId}
          >
            {failure.message}.
          </ErrorState>
        </div>
      )}
      {changes?.length === 0 && (
        <div>
          <EmptyState icon={HistoryIcon} title="No change is known">
            Changes of the license are told here from the day they are recorded.
          </EmptyState>
        </div>
      )}
      {changes && changes.length > 0 && <Changes changes={changes} />}
      {hasNextPage && (
        <footer className="lic-history-foot">
          <Button size="small" pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older
          </Button>
        </footer>
      )}
    </Card>
  );
}

function Changes({ changes }: { changes: readonly UserLicenseChange[] }) {
  return (
    <table className="lic-history" aria-label="License history">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">License</th>
          <th scope="col">By</th>
          <th scope="col">Billable</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <tr key={`${change.date} ${change.licenseTypeId} ${change.previousLicenseTypeId}`}>
            <td>
              <Moment at={change.date} />
            </td>
            <td>
              <Step change={change} />
            </td>
            <td>
              <Author change={change} />
            </td>
            <td className="num">
              {difference(billableChange(change.previousLicenseTypeId, change.licenseTypeId))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Step({ change: { previousLicenseTypeId: from, licenseTypeId: to } }: { change: UserLicenseChange }) {
  if (from === null) return <>Came with {licenseName(to)}</>;
  return (
    <>
      {licenseName(from)} <span aria-hidden>→</span>
      <span className="visually-hidden"> to </span> {licenseName(to)}
    </>
  );
}

/** Whoever has left the site has no page there any longer, and no name. */
function Author({ change: { changedBy, changedByName } }: { change: UserLicenseChange }) {
  if (changedBy === null) return <span className="person-soft">The service</span>;
  if (changedByName === null) return <span className="person-soft">User {changedBy}, who has left</span>;
  return (
    <Link to="/users/$userId" params={{ userId: changedBy }}>
      {changedByName}
    </Link>
  );
}
