import { useId } from 'react';
import type { ReactNode } from 'react';
import { Check } from './Check.tsx';
import '../layout/card.css';

interface SwitchRowProps {
  label: string;
  /** What it does, and whether it can be undone. */
  hint?: ReactNode;
  checked: boolean;
  /** Acts at once; the row shows what it is given, so a refused change springs back. */
  onChange: (checked: boolean) => void;
  disabledReason?: string | undefined;
}

/** A row of a card that is a switch outside any form. */
export function SwitchRow(props: SwitchRowProps) {
  return (
    <div className="card-row">
      <Check {...props} kind="switch" id={useId()} />
    </div>
  );
}
