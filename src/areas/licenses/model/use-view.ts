import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useDebouncedView } from '../../../ui/table/use-debounced-search.ts';
import { parseLicensesView, serializeLicensesView } from './view.ts';

const route = getRouteApi('/_app/licenses/');

/** View of the page from the URL, debounced while typing. */
export function useLicensesView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const urlView = useMemo(() => parseLicensesView({ ...search }), [search]);
  return useDebouncedView({
    view: urlView,
    // Chart and list keep their scroll position.
    write: (view, replace) =>
      navigate({ to: '.', search: serializeLicensesView(view), replace, resetScroll: false }),
  });
}
