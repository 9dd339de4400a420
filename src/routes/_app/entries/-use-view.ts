import { getRouteApi, useLocation, useRouter } from '@tanstack/react-router';
import { useMemo } from 'react';
import { readEntriesView, readPointed, writeEntriesView, writePointed } from '../../../entries/view.ts';
import type { EntriesView, Pointed } from '../../../entries/view.ts';

const route = getRouteApi('/_app/entries/$type/');

/** The view that the address says, and the ways to another one; what it points at belongs to this one alone. */
export function useView() {
  const search = route.useSearch();
  const params = route.useParams();
  const navigate = route.useNavigate();
  const router = useRouter();
  // oxlint-disable-next-line no-underscore-dangle -- as the router calls it
  const visit = useLocation({ select: ({ state }) => state.__TSR_key ?? '' });
  const view = useMemo(() => readEntriesView(search), [search]);
  const pointed = useMemo(() => readPointed(search), [search]);
  const show = (next: EntriesView) => navigate({ to: '.', search: writeEntriesView(next) });
  /** Enters what was said a moment ago, in place of what stood there or as a step that Back undoes; all else stays. */
  const enter = (part: Partial<EntriesView>, isStep = false) =>
    navigate({
      to: '.',
      search: (now) => writeEntriesView({ ...readEntriesView(now), ...part }),
      replace: !isStep,
    });
  /** The address of an entry in this view, or of one of its cells. */
  const linkTo = (to: Pointed): string => {
    const said = { ...writeEntriesView(view), ...writePointed(to) };
    const { href } = router.buildLocation({ to: '/entries/$type', params, search: said });
    return new URL(href, location.origin).href;
  };
  return { view, pointed, visit, show, enter, linkTo };
}
