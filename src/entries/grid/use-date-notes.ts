import type { PointerEvent } from 'react';
import { dateNote } from '../dates.ts';
import { OWN_ZONE, useZone } from '../zone.ts';

/** Tells a date in every zone once the pointer is over it: nobody reads hundreds of them while scrolling. */
export function useDateNotes() {
  const { site } = useZone();
  return (event: PointerEvent) => {
    const time = event.target instanceof Element ? event.target.closest('time') : null;
    if (time) time.title = dateNote(time.dateTime, time.dataset.moment === 'day', site, OWN_ZONE);
  };
}
