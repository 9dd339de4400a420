import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { History as HistoryIcon } from 'lucide-react';
import type { UserLicenseChange } from '../../../../contract/generated/types.gen.ts';
import { getBillableChange, getLicenseName } from '../../../../contract/rules/people/licenses.ts';
import { toServiceError } from '../../../api/errors.ts';
import { getUserLicenseHistoryInfiniteOptions } from '../../../api/generated/queries/licenses.gen.ts';
import { formatDifference } from '../../../lib/numbers.ts';
import { endSentence } from '../../../lib/text/sentences.ts';
import { ShowMoreButton } from '../../../ui/button/ShowMoreButton.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import './history.css';

const PAGE_SIZE = 20;

/** All licenses of a user on this site, newest first, with author and effect on billing. */
export function LicenseHistory({ userId }: { userId: number }) {
  const { data, error, isFetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } =
    useInfiniteQuery({
      ...getUserLicenseHistoryInfiniteOptions({ path: { userId }, query: { pageSize: PAGE_SIZE } }),
      initialPageParam: 1,
      // A page that is not full is the last one (shapes 1).
      getNextPageParam: (page, pages) => (page.length < PAGE_SIZE ? undefined : pages.length + 1),
    });
  const changes = data?.pages.flat();
  const failure = error === null ? undefined : toServiceError(error);
  return (
    <Card title="History">
      {!changes && !failure && <SkeletonRows rows={3} />}
      {failure && (
        <div>
          <ErrorState
            title="The history could not be loaded"
            onRetry={() => void refetch()}
            retrying={isFetching}
            requestId={failure.requestId}
          >
            {endSentence(failure.message)}
          </ErrorState>
        </div>
      )}
      {changes?.length === 0 && (
        <div>
          <EmptyState icon={HistoryIcon} title="No changes yet">
            License changes are listed here once they are recorded.
          </EmptyState>
        </div>
      )}
      {changes && changes.length > 0 && <ChangesTable changes={changes} />}
      {hasNextPage && (
        <footer className="lic-history-foot">
          <ShowMoreButton pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            Show older
          </ShowMoreButton>
        </footer>
      )}
    </Card>
  );
}

function ChangesTable({ changes }: { changes: readonly UserLicenseChange[] }) {
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
              <Timestamp at={change.date} />
            </td>
            <td>
              <ChangeText change={change} />
            </td>
            <td>
              <Author change={change} />
            </td>
            <td className="num">
              {formatDifference(getBillableChange(change.previousLicenseTypeId, change.licenseTypeId))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function ChangeText({
  change: { previousLicenseTypeId: from, licenseTypeId: to },
}: {
  change: UserLicenseChange;
}) {
  if (from === null) return <>Joined with {getLicenseName(to)}</>;
  return (
    <>
      {getLicenseName(from)} <span aria-hidden>→</span>
      <span className="visually-hidden"> to </span> {getLicenseName(to)}
    </>
  );
}

/** Author of a change; users who left the site have no page and no name. */
function Author({ change: { changedBy, changedByName } }: { change: UserLicenseChange }) {
  if (changedBy === null) return <span className="person-soft">The service</span>;
  if (changedByName === null) return <span className="person-soft">User {changedBy}, who has left</span>;
  return (
    <Link to="/users/$userId" params={{ userId: changedBy }}>
      {changedByName}
    </Link>
  );
}
