import type { ReactNode } from 'react';

interface ColumnRowProps {
  heading: string;
  /** Its first values, or why it is passed over. */
  note: string;
  value: string;
  onChoose: (value: string) => void;
  /** The options beside "Ignored". */
  children: ReactNode;
}

/** What one column of the file holds. */
export function ColumnRow({ heading, note, value, onChoose, children }: ColumnRowProps) {
  return (
    <label className="import-column">
      <span className="import-column-name">
        <strong>{heading}</strong>
        <small>{note === '' ? 'Empty' : note}</small>
      </span>
      <select className="input" value={value} onChange={({ target }) => onChoose(target.value)}>
        <option value="">Ignored</option>
        {children}
      </select>
    </label>
  );
}
