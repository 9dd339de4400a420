import { formatExactDate, formatPreciseDistance, isPast } from '../../lib/dates/dates.ts';
import { Tooltip } from '../tooltip/Tooltip.tsx';

/** Distance to a past or future time, with minutes and seconds; the exact time on hover and focus. */
export function Distance({ to, tabIndex = 0 }: { to: string; tabIndex?: 0 | -1 }) {
  return (
    <Tooltip text={formatExactDate(to)}>
      {/* Focusable, because content shown on hover must be available to the keyboard (WCAG 1.4.13). */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- see above */}
      <time dateTime={to} tabIndex={tabIndex}>
        {formatPreciseDistance(to)}
      </time>
    </Tooltip>
  );
}

/** Sentence that says when work is tried again. */
export const NextAttempt = ({ at }: { at: string }) =>
  isPast(at) ? (
    'The next attempt is due.'
  ) : (
    <>
      The next attempt is <Distance to={at} />.
    </>
  );
