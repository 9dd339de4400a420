import { useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { announce } from './LiveRegion.tsx';
import { getCrumbs, useCrumbs } from './titles.ts';
import './route-change.css';

const PRODUCT_NAME = 'Steward';

/** Returns the path of the page without its panels and tabs. */
const getPagePath = (matches: Parameters<typeof getCrumbs>[0]): string | undefined =>
  getCrumbs(matches).findLast(({ isPartOfPage }) => !isPartOfPage)?.pathname;

/** Page that was announced last; at module level, because the frame can be replaced around it. */
let announcedPage: string | undefined;
/** Whether the heading of the page still has to get the focus. */
let isFocusPending = false;

/** Focuses the heading of a rendered page, unless the page has focused an input or a cell. */
function focusPageTitle(): void {
  const title = document.querySelector<HTMLElement>('#page-title');
  if (!title || !isFocusPending) return;
  isFocusPending = false;
  if (!document.activeElement?.matches('input, [data-row]')) title.focus({ preventScroll: true });
}

/** Handles navigation for the document: title, announcement, focus on the heading, progress bar. */
export function RouteAnnouncer({ site }: { site?: string }) {
  const router = useRouter();
  const loading = useRouterState({ select: ({ isLoading }) => isLoading });
  const titles = useCrumbs().map(({ title }) => title);

  useEffect(() => {
    const announcePage = () => {
      const { matches } = router.state;
      const title = getCrumbs(matches).at(-1)?.title;
      if (title !== undefined) announce(title);
      const previousPage = announcedPage;
      announcedPage = getPagePath(matches);
      isFocusPending ||= announcedPage !== previousPage;
      if (isFocusPending) requestAnimationFrame(focusPageTitle);
    };
    if (announcedPage === undefined) announcedPage = getPagePath(router.state.matches);
    else {
      // The frame was replaced (sign-in, sign-out), and the focused element may have been removed with it.
      isFocusPending ||= document.activeElement === document.body;
      if (isFocusPending || announcedPage !== getPagePath(router.state.matches)) announcePage();
    }
    return router.subscribe('onResolved', ({ pathChanged }) => {
      if (pathChanged) announcePage();
    });
  }, [router]);

  return (
    <>
      <title>{[...titles.toReversed(), site, PRODUCT_NAME].filter(Boolean).join(' · ')}</title>
      {loading && <div className="nav-progress" aria-hidden />}
    </>
  );
}
