import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import './filter.css';

interface RemovableChipProps {
  /** What it narrows to: a person, a word. */
  label: string;
  /** Before the label, for the eye. */
  lead?: ReactNode;
  onRemove: () => void;
}

/** One value that is asked for, and its button that takes it away. */
export function RemovableChip({ label, lead, onRemove }: RemovableChipProps) {
  return (
    <span className="filter filter-on">
      <span className="filter-open">
        {lead}
        <span>{label}</span>
      </span>
      <button type="button" className="filter-clear" aria-label={`Remove ${label}`} onClick={onRemove}>
        <X />
      </button>
    </span>
  );
}
