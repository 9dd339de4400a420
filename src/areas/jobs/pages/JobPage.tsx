import { Page } from '../../../ui/layout/Page.tsx';

/** One job: what was asked, its outcomes and its items. */
export function JobPage() {
  return <Page title="Job">{null}</Page>;
}
