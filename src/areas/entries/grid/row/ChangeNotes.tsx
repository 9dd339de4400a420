import type { FieldValue } from '../../../../../contract/generated/types.gen.ts';
import { Badge } from '../../../../ui/layout/Badge.tsx';
import type { Tone } from '../../../../ui/layout/Badge.tsx';
import type { RowChange } from '../../history/row-changes.ts';
import type { Field } from '../../model/schema.ts';
import { toItems, formatValue } from '../../model/values.ts';
import { CellValue } from './CellValue.tsx';
import './past-cells.css';

const MAX_TITLE_CHARS = 300;
const TONES: Record<RowChange['state'], Tone> = { added: 'ok', removed: 'bad', changed: 'warn' };

/** Badge beside the name: how the row changed since the displayed time. */
export const RowChangeBadge = ({ change }: { change: RowChange }) => (
  <span className="eg-change-badge" title={change.description}>
    <Badge tone={TONES[change.state]}>{change.label}</Badge>
  </span>
);

interface CurrentValueNoteProps {
  currentValue: { value: FieldValue | undefined };
  field: Field;
  zone: string;
}

/** The current value of a field behind its past value. */
export function CurrentValueNote({ currentValue: { value }, field, zone }: CurrentValueNoteProps) {
  return (
    <span
      className="eg-current-value"
      title={`Today: ${formatValue(value, field, zone).slice(0, MAX_TITLE_CHARS) || 'no data'}`}
    >
      now {toItems(value).length === 0 ? 'no data' : <CellValue {...{ value, field, zone }} />}
    </span>
  );
}
