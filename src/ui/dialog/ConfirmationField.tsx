import '../form/form.css';

interface ConfirmationFieldProps {
  /** Text that must be typed. */
  expectedText: string;
  value: string;
  onChange: (typed: string) => void;
}

/** Field in which the user types a given text to confirm an action deliberately. */
export function ConfirmationField({ expectedText, value, onChange }: ConfirmationFieldProps) {
  return (
    <label className="field">
      <span className="field-label">Type “{expectedText}” to continue</span>
      <input
        className="input"
        value={value}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}

/** Returns why the action is not confirmed yet; undefined if it is. */
export const getConfirmationReason = (expectedText: string | undefined, value: string): string | undefined =>
  expectedText !== undefined && value.trim() !== expectedText.trim()
    ? `Type “${expectedText}” first`
    : undefined;
