import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { readView, writeView } from '../model/view.ts';
import type { ActivityView } from '../model/view.ts';

const route = getRouteApi('/_app/activity/_report');

/** The view of the report that its address says, and the way to another one. */
export function useView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const view = useMemo(() => readView(search), [search]);
  return {
    view,
    show: (next: ActivityView) => void navigate({ to: '/activity', search: writeView(next) }),
  };
}
