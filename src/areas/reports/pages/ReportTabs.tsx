import { Link } from '@tanstack/react-router';
import { usePermission } from '../../../api/session.ts';
import { TabLinks } from '../../../ui/layout/TabLinks.tsx';

/** The lists of reports: templates, what was generated from them, and schedules. */
export function ReportTabs() {
  const { allowed } = usePermission('listReportRuns');
  return (
    <TabLinks label="Reports">
      <Link to="/reports" activeOptions={{ exact: true }}>
        Templates
      </Link>
      {allowed && <Link to="/reports/runs">Generated reports</Link>}
      {allowed && <Link to="/reports/schedules">Schedules</Link>}
    </TabLinks>
  );
}
