import { parseDate, today } from '@internationalized/date';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useId, useState } from 'react';
import type { RefObject } from 'react';
import { Button as AriaButton } from 'react-aria-components/Button';
import { Calendar, CalendarCell, CalendarGrid, CalendarHeading } from 'react-aria-components/Calendar';
import { Dialog } from 'react-aria-components/Dialog';
import { Popover } from 'react-aria-components/Popover';
import { parseDateText } from '../../../lib/dates/date-text.ts';
import type { DateKind } from '../../../lib/dates/date-text.ts';
import { buttonClass } from '../../button/button-class.ts';
import { Button } from '../../button/Button.tsx';
import { cx } from '../../cx.ts';
import '../../style/popover.css';
import './calendar.css';

interface DateCalendarProps {
  kind: DateKind;
  /** `2026-11-06` or `2026-11-06T14:30`; another text counts as no date. */
  value: string;
  timeZone: string;
  anchor: RefObject<HTMLElement | null>;
  onChange: (value: string) => void;
  onClose: () => void;
}

const DAY_CHARS = 'YYYY-MM-DD'.length;
const clockFormat = new Intl.DateTimeFormat(undefined, {
  hour: 'numeric',
  minute: '2-digit',
  timeZone: 'UTC',
});

/** Calendar of a date field in a popover, with the time of day for a date with a time. */
export default function DateCalendar({
  kind,
  value,
  timeZone,
  anchor,
  onChange,
  onClose,
}: DateCalendarProps) {
  const valid = parseDateText(value, { kind, timeZone });
  const day = valid === undefined ? null : parseDate(valid.slice(0, DAY_CHARS));
  const time = valid?.slice(DAY_CHARS + 1) ?? '';
  const now = today(timeZone);
  const choose = (text: 'today' | 'now') => {
    onChange(parseDateText(text, { kind, timeZone }) ?? '');
    onClose();
  };
  return (
    <Popover
      className="popover"
      triggerRef={anchor}
      placement="bottom start"
      offset={4}
      isOpen
      onOpenChange={onClose}
    >
      <Dialog
        className="popover-inner calendar"
        aria-label={kind === 'day' ? 'Choose a date' : 'Choose a date and time'}
      >
        <Calendar
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the calendar was opened to choose a day
          autoFocus
          aria-label="Calendar"
          value={day}
          defaultFocusedValue={day ?? now}
          onChange={(next) => {
            if (kind === 'time') {
              onChange(`${next.toString()}T${time === '' ? '00:00' : time}`);
              return;
            }
            onChange(next.toString());
            onClose();
          }}
        >
          <header className="calendar-head">
            <AriaButton
              slot="previous"
              className={buttonClass({ variant: 'quiet', size: 'small' }, 'btn-icon')}
            >
              <ChevronLeft />
            </AriaButton>
            <CalendarHeading className="calendar-month" />
            <AriaButton slot="next" className={buttonClass({ variant: 'quiet', size: 'small' }, 'btn-icon')}>
              <ChevronRight />
            </AriaButton>
          </header>
          <CalendarGrid className="calendar-grid" weekdayStyle="short">
            {(date) => (
              <CalendarCell
                date={date}
                className={cx('calendar-day', date.compare(now) === 0 && 'calendar-today')}
              />
            )}
          </CalendarGrid>
        </Calendar>
        {kind === 'time' && (
          <TimeOfDay
            time={time === '' ? '00:00' : time}
            onChange={(text) => {
              const at = `${(day ?? now).toString()} ${text}`;
              const next = parseDateText(at, { kind, timeZone });
              if (next !== undefined) onChange(next);
              return next !== undefined;
            }}
          />
        )}
        <footer className="calendar-foot">
          <Button size="small" variant="quiet" onClick={() => choose(kind === 'day' ? 'today' : 'now')}>
            {kind === 'day' ? 'Today' : 'Now'}
          </Button>
          <Button
            size="small"
            variant="quiet"
            onClick={() => {
              onChange('');
              onClose();
            }}
          >
            Clear
          </Button>
          {kind === 'time' && (
            <Button size="small" variant="primary" onClick={onClose}>
              Done
            </Button>
          )}
        </footer>
      </Dialog>
    </Popover>
  );
}

interface TimeOfDayProps {
  /** `14:30`, with seconds unless they are zero. */
  time: string;
  /** Takes a typed time; false if it is none. */
  onChange: (text: string) => boolean;
}

/** Time of day as a text in the form of the locale. React Aria's time field writes HTML, which the security policy refuses. */
function TimeOfDay({ time, onChange }: TimeOfDayProps) {
  const id = useId();
  const formatted = clockFormat.format(Date.parse(`2000-01-01T${time}Z`));
  const [typed, setTyped] = useState<string>();
  const [isInvalid, setInvalid] = useState(false);
  return (
    <div className="calendar-time">
      <label className="field-label" htmlFor={id}>
        Time
      </label>
      <input
        id={id}
        className="input calendar-clock"
        autoComplete="off"
        value={typed ?? formatted}
        aria-invalid={isInvalid || undefined}
        onChange={({ target }) => {
          setTyped(target.value);
          setInvalid(!onChange(target.value));
        }}
        onBlur={() => {
          setTyped(undefined);
          setInvalid(false);
        }}
      />
    </div>
  );
}
