import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { readEntriesView, writeEntriesView } from '../../../entries/view.ts';
import type { EntriesView } from '../../../entries/view.ts';

const route = getRouteApi('/_app/entries/$type/');

/** The view that the address says, and the ways to another one. */
export function useView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const view = useMemo(() => readEntriesView(search), [search]);
  const show = (next: EntriesView) => navigate({ to: '.', search: writeEntriesView(next) });
  /** Enters what was typed a moment ago, in place of what stood there; all else stays as it is by now. */
  const enter = (part: Partial<EntriesView>) =>
    navigate({
      to: '.',
      search: (now) => writeEntriesView({ ...readEntriesView(now), ...part }),
      replace: true,
    });
  return { view, show, enter };
}
