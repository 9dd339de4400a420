import type { RegisteredRouter } from '@tanstack/react-router';
import { getCrumbs } from '../../ui/layout/titles.ts';

/** A page of one thing, such as a user or an entry, that was shown in this tab. */
interface RecentPage {
  path: string;
  title: string;
  /** Title of the page that lists such things. */
  kind: string | undefined;
}

const MAX_RECENT = 6;

// In memory only, so that names do not outlive the session; switching the site or acting reloads the page.
let recentPages: readonly RecentPage[] = [];

/** The pages of things shown last, latest first, without the page at `path`. */
export const getRecentPages = (path: string): readonly RecentPage[] =>
  recentPages.filter((one) => one.path !== path).slice(0, MAX_RECENT);

/** Records the pages of things that a router shows; returns the function that stops it. */
export function recordRecentPages(router: RegisteredRouter): () => void {
  const record = () => {
    const { matches } = router.state;
    if (Object.keys(matches.at(-1)?.params ?? {}).length === 0) return;
    const crumbs = getCrumbs(matches).filter(({ isPartOfPage }) => !isPartOfPage);
    const [page, list] = crumbs.toReversed();
    if (!page) return;
    const { title, pathname: path } = page;
    recentPages = [
      { path, title, kind: list?.title },
      ...recentPages.filter((one) => one.path !== path),
    ].slice(0, MAX_RECENT + 1);
  };
  record();
  return router.subscribe('onResolved', record);
}
