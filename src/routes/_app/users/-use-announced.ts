import { useEffect } from 'react';
import { counted } from '../../../lib/numbers.ts';
import { announce } from '../../../ui/feedback/live.ts';

// Whoever types is not interrupted at each letter.
const PAUSE = 700;

/** Says to a screen reader how many are found, once the question stands. */
export function useAnnounced(found: number | undefined, isAsked: boolean): void {
  useEffect(() => {
    if (found === undefined || !isAsked) return undefined;
    const timer = setTimeout(() => announce(`${counted(found, 'person', 'people')} found`), PAUSE);
    return () => clearTimeout(timer);
  }, [found, isAsked]);
}
