import { createFileRoute, notFound } from '@tanstack/react-router';
import { formatReportName } from '../../../../areas/proxies/reports/report-columns.tsx';
import { ReportPage } from '../../../../areas/proxies/reports/ReportPage.tsx';
import { reportQuery } from '../../../../areas/proxies/reports/reports-query.ts';
import { directoryQuery } from '../../../../directory/directory.ts';

const ID = /^[1-9]\d{0,9}$/;

export const Route = createFileRoute('/_app/proxies/reports/$reportId')({
  staticData: { title: 'Report' },
  params: {
    parse({ reportId }: { reportId: string }) {
      if (!ID.test(reportId)) throw notFound();
      return { reportId: Number(reportId) };
    },
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
