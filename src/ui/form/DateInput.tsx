import { useId, useRef, useState } from 'react';
import type { ComponentPropsWithRef } from 'react';
import { formatDateText, parseDateText } from '../../lib/dates/date-text.ts';
import type { DateKind } from '../../lib/dates/date-text.ts';
import { cx } from '../cx.ts';
import { CalendarButton } from './CalendarButton.tsx';
import './form.css';

interface DateInputProps extends Pick<
  ComponentPropsWithRef<'input'>,
  'id' | 'name' | 'autoFocus' | 'aria-label' | 'className' | 'ref'
> {
  kind: DateKind;
  /** `2026-11-06`, or `2026-11-06T14:30` in wall time of the zone; empty without a date. */
  value: string;
  /** IANA name of the zone in which times are shown. */
  timeZone: string;
  /** A text that is no date is passed as it is, so that the validation of the form refuses it. */
  onChange: (value: string) => void;
  onBlur?: () => void;
  isInvalid?: boolean;
  describedBy?: string | undefined;
}

/**
 * The one date field of the console: a text, typed or pasted in the form of the locale or as ISO 8601, and a calendar.
 * Alt and Arrow down open the calendar. The text is rewritten as dates are shown when the field is left.
 */
export function DateInput({
  kind,
  value,
  timeZone,
  onChange,
  onBlur,
  isInvalid = false,
  describedBy,
  className,
  ref,
  ...input
}: DateInputProps) {
  const options = { kind, timeZone };
  const box = useRef<HTMLInputElement>(null);
  const noteId = useId();
  const [text, setText] = useState(() => formatDateText(value, options));
  const [shown, setShown] = useState(value);
  const [isOpen, setOpen] = useState(false);
  const [isLeft, setLeft] = useState(true);
  // The value changed elsewhere.
  if (shown !== value) {
    setShown(value);
    setText(formatDateText(value, options));
  }
  const set = (next: string, nextText: string) => {
    setText(nextText);
    setShown(next);
    if (next !== value) onChange(next);
  };
  const isNoDate = text.trim() !== '' && parseDateText(text, options) === undefined;
  const showsNote = isNoDate && isLeft && !isInvalid;
  const example = formatDateText(kind === 'day' ? '2026-11-06' : '2026-11-06T14:30', options);
  return (
    <div className={cx('date-input', className)}>
      <div className="input-wrap">
        <input
          {...input}
          ref={(element) => {
            box.current = element;
            if (typeof ref === 'function') ref(element);
            else if (ref) ref.current = element;
          }}
          className="input"
          autoComplete="off"
          spellCheck={false}
          placeholder={example}
          value={text}
          aria-invalid={isInvalid || showsNote || undefined}
          aria-describedby={cx(describedBy, showsNote && noteId) || undefined}
          onChange={({ target }) => {
            setLeft(false);
            set(parseDateText(target.value, options) ?? target.value.trim(), target.value);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'ArrowDown' || !event.altKey) return;
            event.preventDefault();
            setOpen(true);
          }}
          onBlur={() => {
            setLeft(true);
            if (!isNoDate) setText(formatDateText(value, options));
            onBlur?.();
          }}
        />
        <CalendarButton
          {...options}
          value={value}
          anchor={box}
          open={isOpen}
          onOpenChange={setOpen}
          onChange={(next) => set(next, formatDateText(next, options))}
        />
      </div>
      {showsNote && (
        <span id={noteId} className="field-error">
          Enter a date{kind === 'time' ? ' and time' : ''}, such as {example}
        </span>
      )}
    </div>
  );
}
