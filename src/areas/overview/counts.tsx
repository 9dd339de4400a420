import { useQuery } from '@tanstack/react-query';
import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ReactNode } from 'react';
import { licenseTypes } from '../../../contract/rules/licenses.ts';
import { isUnreachable, toServiceError } from '../../api/errors.ts';
import type { ServiceError } from '../../api/errors.ts';
import {
  listGroupsOptions,
  searchUserLicensesOptions,
  searchUsersOptions,
} from '../../api/generated/@tanstack/react-query.gen.ts';
import { useAllowed } from '../../api/session.ts';
import { count } from '../../lib/numbers.ts';
import { setNavCount } from '../../app/shell/nav-counts.ts';
import { ErrorState } from '../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../ui/feedback/Skeleton.tsx';
import { Card, CardBody } from '../../ui/layout/Card.tsx';
import { Fact, Facts } from '../../ui/layout/Facts.tsx';

// Lists carry no totals (shapes 1): one page of the largest size is counted, and what lies beyond is said.
const LARGEST_PAGE = 1000;
const FIRST = { query: { pageNumber: 1, pageSize: LARGEST_PAGE } };

/** The people of the site, as far as one page tells. */
export function PeopleCard() {
  const { allowed, reason } = useAllowed('searchUsers');
  const users = useQuery({ ...searchUsersOptions(FIRST), enabled: allowed });
  const total = users.data?.length;
  useEffect(() => {
    if (total !== undefined && total < LARGEST_PAGE) setNavCount('/users', total);
  }, [total]);
  return (
    <CountCard title="People" query={users} reason={reason}>
      {(list) => {
        const active = list.filter(({ isActive }) => isActive).length;
        return (
          <>
            <Fact label="On this site">{atLeast(list.length)}</Fact>
            <Fact label="Active">{count(active)}</Fact>
            <Fact label="Inactive">{count(list.length - active)}</Fact>
          </>
        );
      }}
    </CountCard>
  );
}

/** Who holds which license, and what is billed (spec 2.2). */
export function LicensesCard() {
  const { allowed, reason } = useAllowed('searchUserLicenses');
  const licenses = useQuery({ ...searchUserLicensesOptions(FIRST), enabled: allowed });
  return (
    <CountCard title="Licenses" query={licenses} reason={reason}>
      {(list) =>
        licenseTypes.map(({ licenseTypeId: id, description, isBillable }) => (
          <Fact key={id} label={isBillable ? `${description}, billable` : description}>
            {count(list.filter(({ licenseTypeId }) => licenseTypeId === id).length)}
          </Fact>
        ))
      }
    </CountCard>
  );
}

/** The groups of the site with the most people. */
export function GroupsCard() {
  const { allowed, reason } = useAllowed('listGroups');
  const groups = useQuery({ ...listGroupsOptions(FIRST), enabled: allowed });
  return (
    <CountCard title="Largest groups" query={groups} reason={reason}>
      {(list) =>
        list
          .toSorted((a, b) => b.userCount - a.userCount)
          .slice(0, 6)
          .map(({ id, name, userCount }) => (
            <Fact key={id} label={name}>
              {count(userCount)}
            </Fact>
          ))
      }
    </CountCard>
  );
}

const atLeast = (length: number): string =>
  length < LARGEST_PAGE ? count(length) : `${count(length)} or more`;

interface CountCardProps<Item> {
  title: string;
  query: UseQueryResult<Item[], unknown>;
  /** Why the numbers may not be read. */
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
  // The banner over the page says why, and tries again for all of them.
  if (isUnreachable(error)) return 'Not loaded: the service cannot be reached.';
  if (error.status === 501) return `${error.message}.`;
  return <ErrorState title={error.message} onRetry={retry} retrying={retrying} requestId={error.requestId} />;
}
