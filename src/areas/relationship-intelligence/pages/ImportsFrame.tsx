import { Link, Outlet } from '@tanstack/react-router';
import { usePermission } from '../../../api/session.ts';
import { Page } from '../../../ui/layout/Page.tsx';
import { TabLinks } from '../../../ui/layout/TabLinks.tsx';

/** Frame of the pages of Relationship Intelligence. */
export function ImportsFrame() {
  const settings = usePermission('getRelationshipSettings');
  return (
    <Page title="Imports" meta="E-mails and meetings for Relationship Intelligence">
      <TabLinks label="Imports">
        <Link to="/imports" activeOptions={{ exact: true }}>
          New import
        </Link>
        <Link to="/imports/runs" activeOptions={{ includeSearch: false }}>
          Runs
        </Link>
        <Link to="/imports/status">Status</Link>
        <Link to="/imports/relationships" activeOptions={{ includeSearch: false }}>
          Relationships
        </Link>
        {settings.allowed && <Link to="/imports/settings">Settings</Link>}
      </TabLinks>
      <Outlet />
    </Page>
  );
}
