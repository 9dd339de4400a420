import { useId, useState } from 'react';
import { Button } from '../../ui/button/Button.tsx';
import '../../ui/form/form.css';
import './time.css';

interface MomentFieldProps {
  label: string;
  /** Undefined: none is chosen. */
  at: string | undefined;
  onChoose: (at: string) => void;
}

const MINUTE = 60_000;

/** A moment as the field for it has it: in the reader's zone, to the minute. */
function localText(at: string): string {
  const moment = new Date(at);
  return new Date(moment.getTime() - moment.getTimezoneOffset() * MINUTE).toISOString().slice(0, 16);
}

/** A moment of the past, in the reader's own zone. */
export function MomentField({ label, at, onChoose }: MomentFieldProps) {
  const id = useId();
  const [shown, setShown] = useState(at);
  const [text, setText] = useState(at === undefined ? '' : localText(at));
  // Another moment was chosen elsewhere; the field stays, and with it the focus.
  if (shown !== at) {
    setShown(at);
    setText(at === undefined ? '' : localText(at));
  }
  const [isAhead, setAhead] = useState(false);
  const submit = (event: { preventDefault: () => void }) => {
    event.preventDefault();
    const moment = new Date(text);
    const ahead = moment.getTime() > Date.now();
    setAhead(ahead);
    if (text !== '' && !ahead) onChoose(moment.toISOString());
  };
  return (
    <form className="tm-moment" onSubmit={submit}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input"
        type="datetime-local"
        value={text}
        aria-invalid={isAhead}
        aria-describedby={isAhead ? `${id}-note` : undefined}
        onChange={({ target }) => setText(target.value)}
      />
      <Button
        type="submit"
        size="small"
        disabledReason={text === '' ? 'Choose a day and a time first' : undefined}
      >
        Show
      </Button>
      {isAhead && (
        <span id={`${id}-note`} className="field-error" role="alert">
          This moment lies ahead
        </span>
      )}
    </form>
  );
}
