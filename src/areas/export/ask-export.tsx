import type { QueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { MAX_CELL_TEXT_LENGTH } from '../../../contract/rules/tables/cells.ts';
import { MAX_SHEET_ROWS } from '../../../contract/rules/tables/workbook-parts.ts';
import { invalidateAfter } from '../../api/invalidation.ts';
import { toastFailedWrite } from '../../app/state/failed-write.ts';
import { formatNumber } from '../../lib/numbers.ts';
import { confirm } from '../../ui/dialog/confirm.ts';
import { LabelledSelect } from '../../ui/form/select/Select.tsx';
import { showStartedExport } from '../jobs/index.ts';
import type { ExportFormat, ExportSource } from './source.ts';
import './export.css';

const FORMAT_OPTIONS: readonly { format: ExportFormat; label: string; hint: string }[] = [
  { format: 'csv', label: 'CSV', hint: 'Plain text, readable by any program.' },
  {
    format: 'xlsx',
    label: 'XLSX',
    hint: `A workbook with dates and numbers, and a sheet that names the filter. Texts longer than ${formatNumber(MAX_CELL_TEXT_LENGTH)} characters are left out.`,
  },
  { format: 'json', label: 'JSON', hint: 'A list of objects, for programs.' },
];

interface ExportChoice {
  format: ExportFormat;
  /** Whether to export the extended table. */
  isExtended: boolean;
  /** Index of the chosen variant. */
  variant: number;
}

/** Exports up to this size are saved when they are ready; the file of a larger one is saved by a click. */
const MAX_SAVED_ROWS = 5000;

/** Asks for the format and options, then starts the export. */
export async function askExport(client: QueryClient, source: ExportSource): Promise<void> {
  const rows = source.formatCount(source.total);
  const choice: ExportChoice = { format: 'csv', isExtended: false, variant: 0 };
  const isConfirmed = await confirm({
    title: `Export ${rows}?`,
    body: <ExportChoices choice={choice} source={source} />,
    action: `Export ${rows}`,
  });
  if (!isConfirmed) return;
  const chosenSource = source.variants?.options[choice.variant]?.source ?? source;
  const finalSource = (choice.isExtended && chosenSource.extended?.source) || chosenSource;
  try {
    const job = await finalSource.start(choice.format);
    // All exports make the same reads stale.
    void invalidateAfter(client, 'startEntryExport');
    showStartedExport(client, job, finalSource.total <= MAX_SAVED_ROWS);
  } catch (thrown) {
    toastFailedWrite('The export', 'started', thrown);
  }
}

interface ExportChoicesProps {
  /** Mutated by the inputs; read when the dialog is confirmed. */
  choice: ExportChoice;
  source: ExportSource;
}

function ExportChoices({ choice, source }: ExportChoicesProps) {
  const { filter, note, csvHint, total, extended, variants } = source;
  const [variant, setVariant] = useState(choice.variant);
  const sheets = Math.ceil(total / (MAX_SHEET_ROWS - 1));
  return (
    <div className="export-choices">
      {filter !== undefined && <p>{filter}</p>}
      {note !== undefined && <p className="field-hint">{note}</p>}
      <fieldset>
        <legend className="field-label">Format</legend>
        {FORMAT_OPTIONS.map(({ format, label, hint }) => (
          <label key={format} className="export-choice">
            <input
              type="radio"
              name="format"
              defaultChecked={format === choice.format}
              onChange={() => Object.assign(choice, { format })}
            />
            <span>
              {label} <small>{format === 'csv' ? (csvHint ?? hint) : hint}</small>
            </span>
          </label>
        ))}
        {sheets > 1 && (
          <p className="field-hint">
            A sheet holds {formatNumber(MAX_SHEET_ROWS - 1)} rows: a workbook would have{' '}
            {formatNumber(sheets)} of them. CSV and JSON are one table.
          </p>
        )}
      </fieldset>
      {variants && (
        <LabelledSelect
          className="export-variant"
          label={variants.label}
          value={variant}
          onChange={(chosen) => {
            setVariant(chosen);
            Object.assign(choice, { variant: chosen });
          }}
          options={variants.options.map(({ label }, at) => ({ value: at, label }))}
        />
      )}
      {extended && (
        <label className="export-choice">
          <input
            type="checkbox"
            className="checkbox"
            onChange={({ target }) => Object.assign(choice, { isExtended: target.checked })}
          />
          <span>
            {extended.label} <small>{extended.hint}</small>
          </span>
        </label>
      )}
    </div>
  );
}
