import { Link, Outlet } from '@tanstack/react-router';
import { useDirectory } from '../../../directory/directory.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Page } from '../../../ui/layout/Page.tsx';
import { TabLinks } from '../../../ui/layout/TabLinks.tsx';

/** What both pages about licenses stand in. */
export function LicensesFrame() {
  const { size, billable, complete, error } = useDirectory();
  // Nothing to try again and nothing to show: the page says what is missing, as every other does.
  if (error?.status === 403 && size === undefined) throw error;
  return (
    <Page
      title="Licenses"
      meta={
        size !== undefined &&
        (complete
          ? `${counted(size, 'person', 'people')} · ${count(billable)} billable`
          : `${count(size)} people so far`)
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
