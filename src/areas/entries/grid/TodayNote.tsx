import type { FieldValue } from '../../../api/generated/types.gen.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Tone } from '../../../ui/layout/tone.ts';
import { wordsOf } from '../editing/words.ts';
import type { Field } from '../model/schema.ts';
import { itemsOf } from '../model/values.ts';
import { CellValue } from './CellValue.tsx';
import type { RowMark } from './marks.ts';
import './past-cells.css';

const LONGEST = 300;
const TONES: Record<RowMark['state'], Tone> = { added: 'ok', removed: 'bad', changed: 'warn' };

/** What became of a row since then, beside its name. */
export const FateNote = ({ mark }: { mark: RowMark }) => (
  <span className="eg-fate" title={mark.words}>
    <Badge tone={TONES[mark.state]}>{mark.short}</Badge>
  </span>
);

interface TodayNoteProps {
  today: { value: FieldValue | undefined };
  field: Field;
  zone: string;
}

/** What a field holds today, behind what it held. */
export function TodayNote({ today: { value }, field, zone }: TodayNoteProps) {
  return (
    <span className="eg-now" title={`Today: ${wordsOf(value, field, zone).slice(0, LONGEST) || 'no data'}`}>
      now {itemsOf(value).length === 0 ? 'no data' : <CellValue {...{ value, field, zone }} />}
    </span>
  );
}
