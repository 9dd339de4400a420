import { useMatches } from '@tanstack/react-router';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** The name of the page: document title, breadcrumb and what is announced. A loader may return a better one. */
    title?: string;
    /** A panel over the page or a tab of it: it is no crumb, and opening it leaves the focus to it. */
    part?: boolean;
  }
}

interface Match {
  pathname: string;
  staticData: { title?: string; part?: boolean };
  loaderData?: unknown;
}

export interface Crumb {
  title: string;
  pathname: string;
  part: boolean;
}

/** The loader's own title: the name of a person, where the route says only "User". */
const loaded = (data: unknown): string | undefined =>
  typeof data === 'object' && data !== null && 'title' in data && typeof data.title === 'string'
    ? data.title
    : undefined;

/** The titled routes from the outside in. */
export function crumbsOf(matches: readonly Match[]): Crumb[] {
  return matches.flatMap(({ pathname, staticData, loaderData }) => {
    const title = loaded(loaderData) ?? staticData.title;
    return title === undefined ? [] : [{ title, pathname, part: staticData.part ?? false }];
  });
}

export const useCrumbs = (): Crumb[] => crumbsOf(useMatches());
