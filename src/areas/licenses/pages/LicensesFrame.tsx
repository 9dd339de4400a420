import { Link, Outlet } from '@tanstack/react-router';
import { useDirectory } from '../../../directory/directory.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Page } from '../../../ui/layout/Page.tsx';
import { TabLinks } from '../../../ui/layout/TabLinks.tsx';

/** Frame of both license pages. */
export function LicensesFrame() {
  const { size, billable, complete, error } = useDirectory();
  // Without permission and data the page shows what is missing.
  if (error?.status === 403 && size === undefined) throw error;
  return (
    <Page
      title="Licenses"
      meta={
        size !== undefined &&
        (complete
          ? `${pluralize(size, 'person', 'people')} · ${formatNumber(billable)} billable`
          : `${formatNumber(size)} people so far`)
      }
    >
      <TabLinks label="Licenses">
        <Link to="/licenses" activeOptions={{ exact: true, includeSearch: false }}>
          Seats
        </Link>
        <Link to="/licenses/unused" activeOptions={{ includeSearch: false }}>
          Unused
        </Link>
      </TabLinks>
      <Outlet />
    </Page>
  );
}
