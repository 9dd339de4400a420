import { formatExactDate, formatShortDate } from '../../lib/dates/dates.ts';
import { Tooltip } from '../tooltip/Tooltip.tsx';

/** Short form of a timestamp; the exact one on hover and focus. */
export function Timestamp({ at, tabIndex = 0 }: { at: string; tabIndex?: 0 | -1 }) {
  return (
    <Tooltip text={formatExactDate(at)}>
      {/* Focusable, because content shown on hover must be available to the keyboard (WCAG 1.4.13). */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- see above */}
      <time dateTime={at} tabIndex={tabIndex}>
        {formatShortDate(at)}
      </time>
    </Tooltip>
  );
}
