import { createFileRoute, notFound } from '@tanstack/react-router';
import type { RowLocationSearch } from '../../../../areas/activity/model/view.ts';
import { DetailPanel } from '../../../../areas/activity/panels/DetailPanel.tsx';
import { passSearch } from '../../../../lib/search-params.ts';

const ID = /^\d{1,15}$/;

export const Route = createFileRoute('/_app/activity/_report/$activityId')({
  staticData: { title: 'Activity row', isPartOfPage: true },
  params: {
    parse({ activityId }) {
      if (!ID.test(activityId)) throw notFound();
      return { activityId: Number(activityId) };
    },
    stringify: ({ activityId }) => ({ activityId: String(activityId) }),
  },
  validateSearch: passSearch<RowLocationSearch>,
  component: DetailPanel,
});
