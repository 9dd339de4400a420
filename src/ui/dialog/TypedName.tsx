import '../form/form.css';

interface TypedNameProps {
  /** What has to be typed. */
  wanted: string;
  typed: string;
  onType: (typed: string) => void;
}

/** The name of what is about to go, typed by hand: nobody does that by habit. */
export function TypedName({ wanted, typed, onType }: TypedNameProps) {
  return (
    <label className="field">
      <span className="field-label">Type “{wanted}” to go on</span>
      <input
        className="input"
        value={typed}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onType(event.target.value)}
      />
    </label>
  );
}

/** Why it cannot go on yet; undefined when it can. */
export const typedReason = (wanted: string | undefined, typed: string): string | undefined =>
  wanted !== undefined && typed.trim() !== wanted.trim() ? `Type “${wanted}” first` : undefined;
