import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { parseActivityView, serializeActivityView } from './view.ts';
import type { ActivityView } from './view.ts';

const route = getRouteApi('/_app/activity/_report');

/** View of the report from the URL, and a function that navigates to another one. */
export function useActivityView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const view = useMemo(() => parseActivityView(search), [search]);
  return {
    view,
    show: (next: ActivityView) => void navigate({ to: '/activity', search: serializeActivityView(next) }),
  };
}
