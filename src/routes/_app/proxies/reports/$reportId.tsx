import { createFileRoute } from '@tanstack/react-router';
import { formatReportName } from '../../../../areas/proxies/reports/report-columns.tsx';
import { ReportPage } from '../../../../areas/proxies/reports/ReportPage.tsx';
import { reportQuery } from '../../../../areas/proxies/reports/reports-query.ts';
import { directoryQuery } from '../../../../directory/directory.ts';
import { parsePathId } from '../../../../lib/ids.ts';

export const Route = createFileRoute('/_app/proxies/reports/$reportId')({
  staticData: { title: 'Report' },
  params: {
    parse: ({ reportId }: { reportId: string }) => ({ reportId: parsePathId(reportId) }),
    stringify: ({ reportId }: { reportId: number }) => ({ reportId: String(reportId) }),
  },
  loader: async ({ context: { queryClient }, params: { reportId } }) => {
    void queryClient.prefetchQuery(directoryQuery);
    const { pages } = await queryClient.fetchInfiniteQuery(reportQuery(reportId));
    const [first] = pages;
    return { title: first ? formatReportName(first.report) : 'Report' };
  },
  component: ReportPage,
});
