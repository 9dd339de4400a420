import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { readView, writeView } from './-view.ts';
import type { UsersView } from './-view.ts';

const route = getRouteApi('/_app/users/_list');
const PAUSE = 250;

/**
 * The view that the address says. What is being typed counts at once and enters the address at the first
 * pause, in place of what stood there: Back leads to the list before the search, not through its letters.
 */
export function useView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const router = useRouter();
  const [typing, setTyping] = useState<string>();
  const timer = useRef<number>(undefined);
  const view = useMemo<UsersView>(() => {
    const said = readView(search);
    return typing === undefined ? said : { ...said, q: typing };
  }, [search, typing]);

  // A pending address must not bring somebody back who goes on, nor while the next page is still being read.
  useEffect(() => {
    const forget = () => clearTimeout(timer.current);
    const unsubscribe = router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
      if (pathChanged) forget();
    });
    return () => {
      unsubscribe();
      forget();
    };
  }, [router]);

  const write = async (next: UsersView, replace: boolean) => {
    clearTimeout(timer.current);
    await navigate({ to: '.', search: writeView(next), replace });
    setTyping((now) => (now === next.q ? undefined : now));
  };
  return {
    view,
    show: (next: UsersView, replace = false) => void write(next, replace),
    type: (q: string) => {
      setTyping(q);
      clearTimeout(timer.current);
      timer.current = window.setTimeout(() => void write({ ...view, q }, true), PAUSE);
    },
    // Before somebody follows a row: Back must find the search in the address.
    settle: () => void (typing !== undefined && write(view, true)),
  };
}
