import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { readEntriesView, writeEntriesView } from '../../../entries/view.ts';
import type { EntriesView } from '../../../entries/view.ts';

const route = getRouteApi('/_app/entries/$type/');

/** The view that the address says, and the ways to another one; what is typed takes the place of what stood there. */
export function useView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const view = useMemo(() => readEntriesView(search), [search]);
  const show = (next: EntriesView, replace = false) =>
    navigate({ to: '.', search: writeEntriesView(next), replace });
  return { view, show };
}
