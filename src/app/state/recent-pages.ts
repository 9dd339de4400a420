import type { RegisteredRouter } from '@tanstack/react-router';
import { getCurrentIdentity, isSameIdentity } from '../../api/session-state.ts';
import type { SessionIdentity } from '../../api/session-state.ts';
import { getCrumbs } from '../../ui/layout/titles.ts';

/** A page of one thing, such as a user or an entry, that was shown in this tab. */
interface RecentPage {
  path: string;
  title: string;
  /** Title of the page that lists such things. */
  kind: string | undefined;
  /** Identity that saw the page. */
  identity: SessionIdentity;
}

const MAX_RECENT = 6;

// In memory only, so that names do not outlive the session. Acting can end without a reload of the page.
let recentPages: readonly RecentPage[] = [];

/** The pages of things shown last, latest first, without the page at `path` and those shown to another identity. */
export function getRecentPages(path: string): readonly RecentPage[] {
  const current = getCurrentIdentity();
  if (!current) return [];
  return recentPages
    .filter((one) => one.path !== path && isSameIdentity(one.identity, current))
    .slice(0, MAX_RECENT);
}

/** Records the pages of things that a router shows; returns the function that stops it. */
export function recordRecentPages(router: RegisteredRouter): () => void {
  const record = () => {
    const { matches } = router.state;
    if (Object.keys(matches.at(-1)?.params ?? {}).length === 0) return;
    // Such a match may have the title of an earlier reading, by another identity.
    if (matches.some(({ status }) => status === 'error' || status === 'notFound')) return;
    const crumbs = getCrumbs(matches).filter(({ isPartOfPage }) => !isPartOfPage);
    const [page, list] = crumbs.toReversed();
    const identity = getCurrentIdentity();
    if (!page || !identity) return;
    const { title, pathname: path } = page;
    recentPages = [
      { path, title, kind: list?.title, identity },
      ...recentPages.filter((one) => one.path !== path),
    ].slice(0, MAX_RECENT + 1);
  };
  record();
  return router.subscribe('onResolved', record);
}
