import { exactDate, shortDate } from '../../lib/dates.ts';
import { Tooltip } from '../tooltip/Tooltip.tsx';

/** A moment in short; the exact one on hover and focus. */
export function Moment({ at, tabIndex = 0 }: { at: string; tabIndex?: 0 | -1 }) {
  return (
    <Tooltip text={exactDate(at)}>
      {/* What shows more on hover must show it to the keyboard as well (WCAG 1.4.13). */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <time dateTime={at} tabIndex={tabIndex}>
        {shortDate(at)}
      </time>
    </Tooltip>
  );
}
