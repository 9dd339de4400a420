import { useId, useState } from 'react';
import { parseWallIso } from '../../../lib/dates/time-zones.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { DateInput } from '../../../ui/form/DateInput.tsx';
import { formatZoneName } from '../model/dates.ts';
import { useTimeZone } from '../model/zone.ts';
import { formatLocalMinutes } from './timestamps.ts';
import '../../../ui/form/form.css';
import './history.css';

interface AsOfFieldProps {
  label: string;
  /** ISO timestamp; undefined if none is selected. */
  value: string | undefined;
  onChange: (at: string) => void;
}

const formatInputValue = (at: string | undefined, zone: string): string =>
  at === undefined ? '' : formatLocalMinutes(at, zone);

/** Input for a date and time in the past, in the selected time zone. */
export function AsOfField({ label, value, onChange }: AsOfFieldProps) {
  const id = useId();
  const { name: zone } = useTimeZone();
  const [displayed, setDisplayed] = useState({ at: value, zone });
  const [text, setText] = useState(formatInputValue(value, zone));
  const [error, setError] = useState<string>();
  // The value changed elsewhere; the input follows and keeps the focus.
  if (displayed.at !== value || displayed.zone !== zone) {
    setDisplayed({ at: value, zone });
    setText(formatInputValue(value, zone));
    setError(undefined);
  }
  const submit = (event: { preventDefault: () => void }) => {
    event.preventDefault();
    // The input has minutes; an unchanged value keeps its seconds.
    const timestamp =
      value !== undefined && text === formatInputValue(value, zone) ? value : parseWallIso(text, zone);
    const isFuture = timestamp !== undefined && Date.parse(timestamp) > Date.now();
    setError(
      timestamp === undefined
        ? `This time does not exist in ${zone}`
        : isFuture
          ? 'This time is in the future'
          : undefined,
    );
    if (timestamp !== undefined && !isFuture) onChange(timestamp);
  };
  return (
    <form className="tm-as-of" onSubmit={submit}>
      <label htmlFor={id}>{label}</label>
      <DateInput
        id={id}
        kind="time"
        timeZone={zone}
        value={text}
        isInvalid={error !== undefined}
        describedBy={error === undefined ? `${id}-zone` : `${id}-zone ${id}-note`}
        onChange={setText}
      />
      <span id={`${id}-zone`} className="tm-zone">
        {value === undefined ? zone : formatZoneName(value, zone)}
      </span>
      <Button
        type="submit"
        size="small"
        disabledReason={text === '' ? 'Choose a date and time first' : undefined}
      >
        Show
      </Button>
      {error !== undefined && (
        <span id={`${id}-note`} className="field-error" role="alert">
          {error}
        </span>
      )}
    </form>
  );
}
