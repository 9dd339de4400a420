import { CalendarDays } from 'lucide-react';
import { Suspense } from 'react';
import type { RefObject } from 'react';
import type { DateKind } from '../../lib/dates/date-text.ts';
import { IconButton } from '../button/IconButton.tsx';
import { lazyWithPreload } from '../lazy.tsx';

const DateCalendar = lazyWithPreload(() => import('./calendar/DateCalendar.tsx'));

interface CalendarButtonProps {
  kind: DateKind;
  /** `2026-11-06` or `2026-11-06T14:30`; a text that is no date shows no day. */
  value: string;
  /** IANA name of the zone that decides which day is today. */
  timeZone: string;
  /** The element beside which the calendar opens, and which has the focus afterwards. */
  anchor: RefObject<HTMLElement | null>;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  onChange: (value: string) => void;
  /** Left out of the order of focus where the keyboard opens the calendar with Alt and Arrow down. */
  tabIndex?: number;
}

/** Button that opens the calendar of a date field; the calendar is loaded when it is first wanted. */
export function CalendarButton({ open, onOpenChange, tabIndex, ...rest }: CalendarButtonProps) {
  const { anchor } = rest;
  return (
    <>
      <IconButton
        label="Open calendar"
        icon={CalendarDays}
        size="small"
        aria-haspopup="dialog"
        aria-expanded={open}
        tabIndex={tabIndex}
        onPointerEnter={DateCalendar.preload}
        onFocus={DateCalendar.preload}
        // The field keeps the focus, so that an open cell is not left.
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => onOpenChange(!open)}
      />
      <Suspense>
        {open && (
          <DateCalendar
            {...rest}
            onClose={() => {
              onOpenChange(false);
              anchor.current?.focus();
            }}
          />
        )}
      </Suspense>
    </>
  );
}
