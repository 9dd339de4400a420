import { counted } from '../../lib/numbers.ts';
import type { Sheet, Source } from '../read-table.ts';
import type { Turning } from './use-preparation.ts';

interface SheetChoiceProps {
  source: Extract<Source, { kind: 'workbook' }>;
  turning: Turning | undefined;
  isTurned: boolean;
  onSheet: (sheet: number) => void;
}

const wordsOf = ({ name, rows, isHidden }: Sheet): string =>
  `${name} · ${rows === 0 ? 'no rows' : counted(rows, 'row', 'rows')}${isHidden ? ' · hidden' : ''}`;

/** Which sheet of a workbook is read. */
export function SheetChoice({ source, turning, isTurned, onSheet }: SheetChoiceProps) {
  const { sheet, sheets } = source;
  const next = turning && sheets[turning.sheet];
  return (
    <label className="import-sheet">
      <span className="field-label">Sheet</span>
      <select
        className="input"
        // The sheet was chosen here: whoever goes through them by keyboard goes on from here.
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={isTurned}
        value={turning?.sheet ?? sheet}
        onChange={({ target }) => onSheet(Number(target.value))}
      >
        {sheets.map((one, at) => (
          <option key={one.name} value={at} disabled={one.rows === 0}>
            {wordsOf(one)}
          </option>
        ))}
      </select>
      {next && <progress aria-label={`Reading ${next.name}`} value={turning.share} max={1} />}
    </label>
  );
}
