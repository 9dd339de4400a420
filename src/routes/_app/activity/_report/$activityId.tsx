import { createFileRoute, notFound } from '@tanstack/react-router';
import { DetailPanel } from '../../../../areas/activity/panels/DetailPanel.tsx';

const ID = /^[1-9]\d{0,14}$/;

export const Route = createFileRoute('/_app/activity/_report/$activityId')({
  staticData: { title: 'Activity row', part: 'panel' },
  params: {
    parse({ activityId }) {
      if (!ID.test(activityId)) throw notFound();
      return { activityId: Number(activityId) };
    },
    stringify: ({ activityId }) => ({ activityId: String(activityId) }),
  },
  component: DetailPanel,
});
