import type { AgentCall } from '../../../../contract/generated/types.gen.ts';
import { formatExactDate, formatTime, isToday } from '../../../lib/dates/dates.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { cx } from '../../../ui/cx.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Column } from '../../../ui/table/columns.ts';

/** A call with what its row shows. */
export interface CallRow extends AgentCall {
  sentence: string;
  /** Tone of the agent in the chart. */
  tone: 1 | 2 | 3 | 4;
  onOpen: () => void;
}

/** Time of today, or the day with the time. */
const formatCallTime = (date: string): string =>
  isToday(date) ? formatTime(new Date(date)) : formatExactDate(date);

export const CALL_COLUMNS: readonly Column<CallRow>[] = [
  {
    id: 'time',
    header: 'Time',
    width: 104,
    cell: ({ date }) => (
      <time className="num" dateTime={date} title={formatExactDate(date)}>
        {formatCallTime(date)}
      </time>
    ),
  },
  {
    id: 'agent',
    header: 'Agent',
    width: 132,
    small: 'aside',
    cell: ({ keyName, tone }) => (
      <span className="agent-name">
        <i className={`agent-dot agent-dot-${tone}`} aria-hidden /> {keyName}
      </span>
    ),
  },
  {
    id: 'what',
    header: 'What it read',
    minWidth: 240,
    small: 'line',
    cell: ({ sentence, outcome, flags, onOpen }, { tabIndex }) => (
      <span className="agent-what">
        <button
          type="button"
          className={cx('agent-open', outcome !== 'Ok' && 'agent-bad')}
          tabIndex={tabIndex}
          title={sentence}
          onClick={onOpen}
        >
          {sentence}
        </button>
        {flags.length > 0 && <Badge tone="warn">Looks like an instruction</Badge>}
      </span>
    ),
  },
  { id: 'for', header: 'For', width: 112, cell: ({ userName }) => userName },
  { id: 'rows', header: 'Rows', width: 56, align: 'end', cell: ({ rows }) => formatNumber(rows) },
  { id: 'size', header: 'Size', width: 86, align: 'end', cell: ({ bytes }) => formatSize(bytes) },
];
