import { Page } from '../../../ui/layout/Page.tsx';

/** List of the caller's jobs and, with View Activity, of those of other users. */
export function JobsPage() {
  return <Page title="Jobs">{null}</Page>;
}
