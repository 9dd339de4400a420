import { X } from 'lucide-react';
import { useId, useRef } from 'react';
import type { ComponentPropsWithoutRef } from 'react';
import { IconButton } from '../button/IconButton.tsx';
import { cx } from '../cx.ts';
import './check.css';

interface SwitchInputProps extends Pick<
  ComponentPropsWithoutRef<'input'>,
  'id' | 'autoFocus' | 'onKeyDown' | 'onBlur'
> {
  /** Accessible name, where no label element names the switch. */
  label?: string | undefined;
  /** Undefined where nothing is stored, which is neither yes nor no. */
  value: boolean | undefined;
  onChange: (value: boolean) => void;
  /** Offers to remove the value. */
  onClear?: (() => void) | undefined;
  isInvalid?: boolean;
  describedBy?: string | undefined;
  /** Words for off and on. */
  words?: readonly [off: string, on: string];
  /** Why it cannot be changed; replaces the word. The switch stays focusable. */
  disabledReason?: string | undefined;
}

/** Switch for a Boolean value, with the value in words; without a value it says so. */
export function SwitchInput({
  label,
  value,
  onChange,
  onClear,
  isInvalid = false,
  describedBy,
  words: [off, on] = ['No', 'Yes'],
  disabledReason,
  ...input
}: SwitchInputProps) {
  const stateId = useId();
  const box = useRef<HTMLInputElement>(null);
  return (
    <span className="switch-input">
      <input
        {...input}
        ref={box}
        type="checkbox"
        role="switch"
        className="switch"
        aria-label={label}
        aria-invalid={isInvalid || undefined}
        aria-disabled={disabledReason !== undefined || undefined}
        aria-describedby={
          cx(describedBy, (value === undefined || disabledReason !== undefined) && stateId) || undefined
        }
        checked={value === true}
        aria-checked={value === true}
        onChange={({ target }) => {
          if (disabledReason === undefined) onChange(target.checked);
        }}
      />
      <span id={stateId} aria-hidden>
        {disabledReason ?? (value === undefined ? 'No value' : value ? on : off)}
      </span>
      {onClear && value !== undefined && (
        <IconButton
          label="Clear"
          icon={X}
          size="small"
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => {
            onClear();
            box.current?.focus();
          }}
        />
      )}
    </span>
  );
}
