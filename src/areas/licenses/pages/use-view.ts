import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTypedView } from '../../../ui/table/use-typed-view.ts';
import { readView, writeView } from '../model/view.ts';

const route = getRouteApi('/_app/licenses/');

/** The view that the address of the licenses page says. */
export function useView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const said = useMemo(() => readView({ ...search }), [search]);
  return useTypedView({
    said,
    // The chart and the list stay where they are on the screen when the address of one of them changes.
    write: (view, replace) => navigate({ to: '.', search: writeView(view), replace, resetScroll: false }),
  });
}
