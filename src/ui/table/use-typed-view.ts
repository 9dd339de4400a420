import { useMemo } from 'react';
import { useTyping } from './use-typing.ts';

interface Typed<View> {
  /** What the address says; keep it as long as it is the same. */
  said: View;
  /** Puts a view into the address; with `replace` in place of what stands there. */
  write: (view: View, replace: boolean) => Promise<unknown>;
}

/** A view whose search is being typed: everything else of it enters the address at once. */
export function useTypedView<View extends { q: string }>({ said, write }: Typed<View>) {
  const { q, type, settle, goTo } = useTyping(said.q, (typed) => write({ ...said, q: typed }, true));
  const view = useMemo(() => (q === said.q ? said : { ...said, q }), [said, q]);
  return {
    view,
    type,
    settle,
    show: (next: View, replace = false) => void goTo(next.q, () => write(next, replace)),
  };
}
