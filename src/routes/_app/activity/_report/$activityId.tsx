import { createFileRoute, notFound } from '@tanstack/react-router';
import { DetailPanel } from '../../../../areas/activity/panels/DetailPanel.tsx';
import { readPlace, writePlace } from '../../../../areas/activity/model/place.ts';

const WHOLE = /^\d{1,15}$/;

export const Route = createFileRoute('/_app/activity/_report/$activityId')({
  staticData: { title: 'Activity row', part: true },
  params: {
    parse({ activityId }) {
      if (!WHOLE.test(activityId)) throw notFound();
      return { activityId: Number(activityId) };
    },
    stringify: ({ activityId }) => ({ activityId: String(activityId) }),
  },
  validateSearch: (search) => writePlace(readPlace(search)),
  component: DetailPanel,
});
