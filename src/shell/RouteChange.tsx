import { useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { announce } from '../ui/feedback/live.ts';
import { crumbsOf, useCrumbs } from './titles.ts';
import './route-change.css';

const PRODUCT = 'Steward';

/** The path of the page itself, whatever panel or tab of it is open. */
const pageOf = (matches: Parameters<typeof crumbsOf>[0]): string | undefined =>
  crumbsOf(matches).findLast(({ part }) => !part)?.pathname;

/** What a change of route does around the page: title, announcement, focus on the heading, progress. */
export function RouteChange({ site }: { site?: string }) {
  const router = useRouter();
  const loading = useRouterState({ select: ({ isLoading }) => isLoading });
  const titles = useCrumbs().map(({ title }) => title);

  useEffect(() => {
    let page = pageOf(router.state.matches);
    return router.subscribe('onResolved', ({ pathChanged }) => {
      const { matches } = router.state;
      const before = page;
      page = pageOf(matches);
      if (!pathChanged) return;
      const title = crumbsOf(matches).at(-1)?.title;
      if (title !== undefined) announce(title);
      // A page that put the focus into its first field keeps it there.
      if (page !== before && !document.activeElement?.matches('input'))
        document.querySelector<HTMLElement>('#page-title')?.focus({ preventScroll: true });
    });
  }, [router]);

  return (
    <>
      <title>{[...titles.toReversed(), site, PRODUCT].filter(Boolean).join(' · ')}</title>
      {loading && <div className="nav-progress" aria-hidden />}
    </>
  );
}
