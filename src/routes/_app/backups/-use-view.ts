import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useTypedView } from '../-typed-view.ts';
import { readView, writeView } from './-view.ts';

const route = getRouteApi('/_app/backups/_list');

/** The view of the list that the address says, with what is being typed. */
export function useView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const said = useMemo(() => readView({ ...search }), [search]);
  return useTypedView({
    said,
    write: (view, replace) => navigate({ to: '.', search: writeView(view), replace }),
  });
}
