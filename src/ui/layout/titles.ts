import { useQueryClient } from '@tanstack/react-query';
import { useMatches } from '@tanstack/react-router';
import type { StaticDataRouteOption } from '@tanstack/react-router';
import { useCallback, useSyncExternalStore } from 'react';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** Title of the page for document, breadcrumbs and announcement; a loader may return a more specific one. */
    title?: string;
    /** The route is a part of the page of its parent: no breadcrumb, and opening it does not move the focus to the heading. */
    part?: 'panel' | 'tab';
  }
}

interface RouteMatch {
  pathname: string;
  staticData: StaticDataRouteOption;
  loaderData?: unknown;
}

export interface Crumb {
  title: string;
  pathname: string;
  isPartOfPage: boolean;
}

const isFunction = (value: unknown): value is () => unknown => typeof value === 'function';

/**
 * Returns the title from the loader data: the name of a user instead of "User". A function reads it from the query cache,
 * so that it follows a change of the name.
 */
function getLoadedTitle(data: unknown): string | undefined {
  if (typeof data !== 'object' || data === null || !('title' in data)) return undefined;
  const title = isFunction(data.title) ? data.title() : data.title;
  return typeof title === 'string' ? title : undefined;
}

/** Returns the titled routes, outermost first. */
export function getCrumbs(matches: readonly RouteMatch[]): Crumb[] {
  return matches.flatMap(({ pathname, staticData, loaderData }) => {
    const title = getLoadedTitle(loaderData) ?? staticData.title;
    return title === undefined ? [] : [{ title, pathname, isPartOfPage: staticData.part !== undefined }];
  });
}

export function useCrumbs(): Crumb[] {
  const matches = useMatches();
  const cache = useQueryClient().getQueryCache();
  const subscribe = useCallback((onChange: () => void) => cache.subscribe(onChange), [cache]);
  // The titles as one text, because only a changed snapshot renders again.
  useSyncExternalStore(subscribe, () => JSON.stringify(getCrumbs(matches).map(({ title }) => title)));
  return getCrumbs(matches);
}
