import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import type { FieldValues } from 'react-hook-form';
import { IconButton } from '../button/IconButton.tsx';
import { FieldFrame } from './FieldFrame.tsx';
import { useField } from './use-field.ts';
import type { FieldProps } from './use-field.ts';

interface PasswordFieldProps<Values extends FieldValues, Output> extends FieldProps<
  Values,
  Output,
  string | undefined
> {
  autoComplete: 'current-password' | 'new-password';
  placeholder?: string;
  optional?: boolean;
  /** Why it cannot be edited; replaces the hint. The field stays focusable. */
  disabledReason?: string | undefined;
}

/** Password field with a button to show the password. */
export function PasswordField<Values extends FieldValues, Output>(props: PasswordFieldProps<Values, Output>) {
  const { label, errorHelp, optional, autoComplete, placeholder, disabledReason } = props;
  const hint = disabledReason ?? props.hint;
  const { bind, value, error, id, noteId } = useField({ ...props, hint });
  const [isVisible, setIsVisible] = useState(false);
  return (
    <FieldFrame {...{ id, noteId, label, hint, error, errorHelp, optional }}>
      <div className="input-wrap">
        <input
          {...bind}
          {...{ autoComplete, placeholder }}
          id={id}
          className="input"
          type={isVisible ? 'text' : 'password'}
          value={typeof value === 'string' ? value : ''}
          autoCapitalize="none"
          spellCheck={false}
          readOnly={disabledReason !== undefined}
          aria-disabled={disabledReason !== undefined || undefined}
          aria-invalid={error !== undefined}
          aria-describedby={noteId}
        />
        <IconButton
          label={isVisible ? 'Hide password' : 'Show password'}
          icon={isVisible ? EyeOff : Eye}
          size="small"
          onClick={() => setIsVisible(!isVisible)}
        />
      </div>
    </FieldFrame>
  );
}
