import { useMatches, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Title of the page for document, breadcrumbs and announcement; a loader may return a more specific one. */
    title?: string;
    /** Whether the route is a panel or tab of a page: no breadcrumb, and opening it does not move the focus to the heading. */
    isPartOfPage?: boolean;
  }
}

interface RouteMatch {
  pathname: string;
  staticData: { title?: string; isPartOfPage?: boolean };
  loaderData?: unknown;
}

export interface Crumb {
  title: string;
  pathname: string;
  isPartOfPage: boolean;
}

/** Returns the title from the loader data: the name of a user instead of "User". */
const getLoadedTitle = (data: unknown): string | undefined =>
  typeof data === 'object' && data !== null && 'title' in data && typeof data.title === 'string'
    ? data.title
    : undefined;

/** Returns the titled routes, outermost first. */
export function getCrumbs(matches: readonly RouteMatch[]): Crumb[] {
  return matches.flatMap(({ pathname, staticData, loaderData }) => {
    const title = getLoadedTitle(loaderData) ?? staticData.title;
    return title === undefined ? [] : [{ title, pathname, isPartOfPage: staticData.isPartOfPage ?? false }];
  });
}

export const useCrumbs = (): Crumb[] => getCrumbs(useMatches());

/**
 * Runs the loaders again when the page shows another name than the loaded title, so that document and breadcrumbs follow: somebody else
 * has renamed what the page shows.
 */
export function useRenamed(title: string, name: string): void {
  const router = useRouter();
  useEffect(() => {
    if (title !== name) void router.invalidate();
  }, [router, title, name]);
}
