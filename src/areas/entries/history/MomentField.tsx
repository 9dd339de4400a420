import { momentAt } from '../../../lib/zones.ts';
import { useId, useState } from 'react';
import { Button } from '../../../ui/button/Button.tsx';
import { zoneMark } from '../model/dates.ts';
import { useZone } from '../model/zone.ts';
import { clockText } from './zoned.ts';
import '../../../ui/form/form.css';
import './time.css';

interface MomentFieldProps {
  label: string;
  /** Undefined: none is chosen. */
  at: string | undefined;
  onChoose: (at: string) => void;
}

const textOf = (at: string | undefined, zone: string): string =>
  at === undefined ? '' : clockText(at, zone);

/** A moment of the past, in the zone in which the entries' dates are shown. */
export function MomentField({ label, at, onChoose }: MomentFieldProps) {
  const id = useId();
  const { name: zone } = useZone();
  const [shown, setShown] = useState({ at, zone });
  const [text, setText] = useState(textOf(at, zone));
  const [fault, setFault] = useState<string>();
  // Another moment was chosen elsewhere; the field stays, and with it the focus.
  if (shown.at !== at || shown.zone !== zone) {
    setShown({ at, zone });
    setText(textOf(at, zone));
    setFault(undefined);
  }
  const submit = (event: { preventDefault: () => void }) => {
    event.preventDefault();
    // To the minute: the moment that is shown may be more exact.
    const moment = at !== undefined && text === textOf(at, zone) ? at : momentAt(text, zone);
    const isAhead = moment !== undefined && Date.parse(moment) > Date.now();
    setFault(
      moment === undefined
        ? `Clocks in ${zone} never show this`
        : isAhead
          ? 'This moment lies ahead'
          : undefined,
    );
    if (moment !== undefined && !isAhead) onChoose(moment);
  };
  return (
    <form className="tm-moment" onSubmit={submit}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        type="datetime-local"
        value={text}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? `${id}-zone` : `${id}-zone ${id}-note`}
        onChange={({ target }) => setText(target.value)}
      />
      <span id={`${id}-zone`} className="tm-zone">
        {at === undefined ? zone : zoneMark(at, zone)}
      </span>
      <Button
        type="submit"
        size="small"
        disabledReason={text === '' ? 'Choose a day and a time first' : undefined}
      >
        Show
      </Button>
      {fault !== undefined && (
        <span id={`${id}-note`} className="field-error" role="alert">
          {fault}
        </span>
      )}
    </form>
  );
}
