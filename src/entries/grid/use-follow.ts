import { useRouter } from '@tanstack/react-router';
import type { MouseEvent } from 'react';

/** Follows plain links of the grid within the console; with a key held down the browser opens them as it does others. */
export function useFollow() {
  const router = useRouter();
  return (event: MouseEvent) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
    const href = link?.getAttribute('href');
    if (href?.startsWith('/') !== true) return;
    event.preventDefault();
    void router.navigate({ href });
  };
}
