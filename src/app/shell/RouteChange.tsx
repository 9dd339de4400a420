import { useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { announce } from '../../ui/feedback/live.ts';
import { crumbsOf, useCrumbs } from '../../ui/layout/titles.ts';
import './route-change.css';

const PRODUCT = 'Steward';

/** The path of the page itself, whatever panel or tab of it is open. */
const pageOf = (matches: Parameters<typeof crumbsOf>[0]): string | undefined =>
  crumbsOf(matches).findLast(({ part }) => !part)?.pathname;

/** The page that people were told of last; it outlives the frame around it. */
let standing: string | undefined;
/** Its heading has not had the focus yet: it may still be on its way. */
let isDue = false;

/** A frame later, when the new page stands. One that put the focus into its first field, or on a cell, keeps it there. */
function focusTitle(): void {
  const title = document.querySelector<HTMLElement>('#page-title');
  if (!title || !isDue) return;
  isDue = false;
  if (!document.activeElement?.matches('input, [data-row]')) title.focus({ preventScroll: true });
}

/** What a change of route does around the page: title, announcement, focus on the heading, progress. */
export function RouteChange({ site }: { site?: string }) {
  const router = useRouter();
  const loading = useRouterState({ select: ({ isLoading }) => isLoading });
  const titles = useCrumbs().map(({ title }) => title);

  useEffect(() => {
    const arrive = () => {
      const { matches } = router.state;
      const title = crumbsOf(matches).at(-1)?.title;
      if (title !== undefined) announce(title);
      const before = standing;
      standing = pageOf(matches);
      isDue ||= standing !== before;
      if (isDue) requestAnimationFrame(focusTitle);
    };
    if (standing === undefined) standing = pageOf(router.state.matches);
    else {
      // The frame was exchanged around the page (signing in, signing out): what had the focus may have gone with it.
      isDue ||= document.activeElement === document.body;
      if (isDue || standing !== pageOf(router.state.matches)) arrive();
    }
    return router.subscribe('onResolved', ({ pathChanged }) => {
      if (pathChanged) arrive();
    });
  }, [router]);

  return (
    <>
      <title>{[...titles.toReversed(), site, PRODUCT].filter(Boolean).join(' · ')}</title>
      {loading && <div className="nav-progress" aria-hidden />}
    </>
  );
}
