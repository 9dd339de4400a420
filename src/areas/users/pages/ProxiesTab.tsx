import { DelegationsError } from '../../proxies/pages/DelegationsError.tsx';
import { Link, getRouteApi, useNavigate } from '@tanstack/react-router';
import { ScrollText, UserRoundPlus, Waypoints } from 'lucide-react';
import { useAllowed } from '../../../api/session.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import { AssignPanel } from '../../proxies/panels/AssignPanel.tsx';
import { BothEnds } from '../../proxies/pages/BothEnds.tsx';
import { useDelegations } from '../../proxies/model/proxies-query.ts';
import { reportName } from '../../proxies/reports/report-columns.tsx';
import { useReports } from '../../proxies/reports/reports-query.ts';
import { useUser } from './use-user.ts';
import { fullName } from '../model/user-query.ts';

const route = getRouteApi('/_app/users/$userId/proxies');
const REPORTS = 6;

/** Who may act for the user, for whom they may act, and when that was done. */
export function ProxiesTab() {
  const user = useUser();
  const { allowed } = useAllowed('listProxies');
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
  const { allowed, reason } = useAllowed('listProxies');
  if (!allowed) {
    return (
      <Card title="Assignments">
        <CardBody>{reason}.</CardBody>
      </Card>
    );
  }
  const close = (done: boolean) => void navigate({ to: '.', search: {}, ignoreBlocker: done });
  return (
    <>
      <Ends />
      {assign === 'proxy' && <AssignPanel proxy={user.id} user={undefined} onClose={close} />}
      {assign === 'user' && <AssignPanel proxy={undefined} user={user.id} onClose={close} />}
    </>
  );
}

function Ends() {
  const user = useUser();
  const { delegations, states, error, isFetching, refetch } = useDelegations();
  const change = useAllowed('changeProxies');
  if (!delegations) {
    return (
      <Card title="Assignments">
        {error ? <DelegationsError {...{ error, refetch, isFetching }} /> : <SkeletonRows rows={4} />}
      </Card>
    );
  }
  return (
    <BothEnds
      person={{ id: user.id, email: user.email, fullName: fullName(user) }}
      {...{ delegations, states }}
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

/** The last times this person acted or was acted for. */
function Reports() {
  const user = useUser();
  const { reports, error, refetch } = useReports(user.id, REPORTS);
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
          {user.firstName} has not acted for anybody, and nobody for them.
        </EmptyState>
      )}
      {reports && reports.length > 0 && (
        <>
          <ul className="px-reports">
            {reports.slice(0, REPORTS).map((report) => (
              <li key={report.id}>
                <Link to="/proxies/reports/$reportId" params={{ reportId: report.id }}>
                  {reportName(report)}
                </Link>
                <small>
                  <Moment at={report.startedDate} />
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
