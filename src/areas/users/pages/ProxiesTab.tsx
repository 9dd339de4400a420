import { Link, getRouteApi, useNavigate } from '@tanstack/react-router';
import { ScrollText, UserRoundPlus, Waypoints } from 'lucide-react';
import { usePermission } from '../../../api/session.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import {
  AssignmentsError,
  AssignmentLists,
  AssignPanel,
  useAssignments,
  formatReportName,
  useReports,
} from '../../proxies/index.ts';
import { formatFullName } from '../model/user-query.ts';
import { useUser } from './use-user.ts';

const route = getRouteApi('/_app/users/$userId/proxies');
const MAX_REPORTS = 6;

/** Proxies of the user, users they act for, and recent acting reports. */
export function ProxiesTab() {
  const user = useUser();
  const { allowed } = usePermission('listProxies');
  return (
    <div className="user-cols">
      <div className="user-main">
        <Assignments />
      </div>
      <div className="user-side">
        {allowed && (
          <Link to="/proxies/graph" search={{ around: user.id }} className={buttonClass()}>
            <Waypoints />
            Show in the graph
          </Link>
        )}
        <Reports />
      </div>
    </div>
  );
}

function Assignments() {
  const user = useUser();
  const { assign } = route.useSearch();
  const navigate = useNavigate();
  const { allowed, reason } = usePermission('listProxies');
  if (!allowed) {
    return (
      <Card title="Assignments">
        <CardBody>{reason}.</CardBody>
      </Card>
    );
  }
  const panel = {
    onClose: (done: boolean) => void navigate({ to: '.', search: {}, ignoreBlocker: done }),
    isLeft: (search: object) => !('assign' in search && search.assign === assign),
  };
  return (
    <>
      <AssignmentCards />
      {assign === 'proxy' && <AssignPanel proxyUserId={user.id} userId={undefined} {...panel} />}
      {assign === 'user' && <AssignPanel proxyUserId={undefined} userId={user.id} {...panel} />}
    </>
  );
}

function AssignmentCards() {
  const user = useUser();
  const { assignments, states, error, isFetching, refetch } = useAssignments();
  const change = usePermission('changeProxies');
  if (!assignments) {
    return (
      <Card title="Assignments">
        {error ? <AssignmentsError {...{ error, refetch, isFetching }} /> : <SkeletonRows rows={4} />}
      </Card>
    );
  }
  return (
    <AssignmentLists
      person={{ id: user.id, email: user.email, fullName: formatFullName(user) }}
      {...{ assignments, states }}
      to="/users/$userId/proxies"
      renderAssign={(end, label) =>
        change.allowed ? (
          <Link to="." search={{ assign: end }} className={buttonClass({ size: 'small' })}>
            <UserRoundPlus />
            {label}
          </Link>
        ) : (
          <Button size="small" icon={UserRoundPlus} disabledReason={change.reason}>
            {label}
          </Button>
        )
      }
    />
  );
}

/** Latest acting reports of the user, as proxy or principal. */
function Reports() {
  const user = useUser();
  const { reports, error, refetch } = useReports(user.id, MAX_REPORTS);
  return (
    <Card title="Reports">
      {!reports && !error && <SkeletonRows rows={3} />}
      {error && !reports && (
        <ErrorState title="The reports could not be loaded" onRetry={refetch} requestId={error.requestId}>
          {error.message}
        </ErrorState>
      )}
      {reports?.length === 0 && (
        <EmptyState icon={ScrollText} title="No reports">
          {user.firstName} has not acted for anyone, and nobody has acted for them.
        </EmptyState>
      )}
      {reports && reports.length > 0 && (
        <>
          <ul className="px-reports">
            {reports.slice(0, MAX_REPORTS).map((report) => (
              <li key={report.id}>
                <Link to="/proxies/reports/$reportId" params={{ reportId: report.id }}>
                  {formatReportName(report)}
                </Link>
                <small>
                  <Timestamp at={report.startedDate} />
                </small>
              </li>
            ))}
          </ul>
          <CardBody>
            <Link to="/proxies/reports" search={{ user: user.id }}>
              All reports of {user.firstName}
            </Link>
          </CardBody>
        </>
      )}
    </Card>
  );
}
