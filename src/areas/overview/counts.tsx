import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { licenseTypes } from '../../../contract/rules/licenses.ts';
import { isUnreachable, NO_ANSWER, toServiceError } from '../../api/errors.ts';
import type { ServiceError } from '../../api/errors.ts';
import {
  listGroupsOptions,
  searchUserLicensesOptions,
  searchUsersOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts';
import { usePermission } from '../../api/session.ts';
import { setNavigationCount } from '../../app/state/navigation.ts';
import { formatNumber } from '../../lib/numbers.ts';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../ui/feedback/Skeleton.tsx';
import { Card, CardBody, Fact, Facts } from '../../ui/layout/Card.tsx';

// Lists have no totals (shapes 1): one page of maximum size is counted and larger numbers are marked.
const MAX_PAGE_SIZE = 1000;
const FIRST_PAGE = { query: { pageNumber: 1, pageSize: MAX_PAGE_SIZE } };

/** Number of users, as far as one page tells. */
export function PeopleCard() {
  const { allowed, reason } = usePermission('searchUsers');
  const users = useQuery({ ...searchUsersOptions(FIRST_PAGE), enabled: allowed });
  const total = users.data?.length;
  useEffect(() => {
    if (total !== undefined && total < MAX_PAGE_SIZE) setNavigationCount('/users', total);
  }, [total]);
  return (
    <CountCard title="People" query={users} reason={reason}>
      {(list) => {
        const active = list.filter(({ isActive }) => isActive).length;
        return (
          <>
            <Fact label="On this site">{atLeast(list.length)}</Fact>
            <Fact label="Active">{formatNumber(active)}</Fact>
            <Fact label="Inactive">{formatNumber(list.length - active)}</Fact>
          </>
        );
      }}
    </CountCard>
  );
}

/** Number of users by license (spec 2.2). */
export function LicensesCard() {
  const { allowed, reason } = usePermission('searchUserLicenses');
  const licenses = useQuery({ ...searchUserLicensesOptions(FIRST_PAGE), enabled: allowed });
  return (
    <CountCard title="Licenses" query={licenses} reason={reason}>
      {(list) =>
        licenseTypes.map(({ licenseTypeId: id, description, isBillable }) => (
          <Fact key={id} label={isBillable ? `${description}, billable` : description}>
            {formatNumber(list.filter(({ licenseTypeId }) => licenseTypeId === id).length)}
          </Fact>
        ))
      }
    </CountCard>
  );
}

/** Groups with the most members. */
export function GroupsCard() {
  const { allowed, reason } = usePermission('listGroups');
  const groups = useQuery({ ...listGroupsOptions(FIRST_PAGE), enabled: allowed });
  return (
    <CountCard title="Largest groups" query={groups} reason={reason}>
      {(list) =>
        list
          .toSorted((a, b) => b.userCount - a.userCount)
          .slice(0, 6)
          .map(({ id, name, userCount }) => (
            <Fact key={id} label={name}>
              {formatNumber(userCount)}
            </Fact>
          ))
      }
    </CountCard>
  );
}

const atLeast = (length: number): string =>
  length < MAX_PAGE_SIZE ? formatNumber(length) : `${formatNumber(length)} or more`;

interface CountCardProps<Item> {
  title: string;
  query: UseQueryResult<Item[], unknown>;
  /** Reason why the numbers may not be read. */
  reason: string | undefined;
  children: (list: Item[]) => ReactNode;
}

function CountCard<Item>({ title, query, reason, children }: CountCardProps<Item>) {
  const { data, error, isFetching, refetch } = query;
  return (
    <Card title={title}>
      {reason !== undefined && <CardBody>{reason}.</CardBody>}
      {data && <Facts>{children(data)}</Facts>}
      {!data && error !== null && (
        <CardBody>
          <CountFailure error={toServiceError(error)} retry={() => void refetch()} retrying={isFetching} />
        </CardBody>
      )}
      {!data && error === null && reason === undefined && <SkeletonRows rows={4} />}
    </Card>
  );
}

interface CountFailureProps {
  error: ServiceError;
  retry: () => void;
  retrying: boolean;
}

function CountFailure({ error, retry, retrying }: CountFailureProps) {
  // The page's banner explains the failure and offers a retry. A service that is only slow has no banner.
  if (isUnreachable(error) && error.code !== NO_ANSWER) return 'Not loaded: the service cannot be reached.';
  if (error.status === 501) return `${error.message}.`;
  return <ErrorState title={error.message} onRetry={retry} retrying={retrying} requestId={error.requestId} />;
}
