import { count } from '../lib/numbers.ts';
import { confirm } from '../ui/dialog/confirm.ts';
import { runExport } from './job.ts';
import type { PeopleRequest } from './index.ts';
import { SHEET_ROWS } from './limits.ts';
import { MOST_CELL_TEXT } from './sheet-text.ts';
import { peopleSource } from './people.ts';
import type { ExportSource } from './source.ts';
import type { Format } from './writer.ts';
import './export.css';

const FORMATS: readonly { format: Format; label: string; hint: string }[] = [
  { format: 'csv', label: 'CSV', hint: 'Text that every program reads.' },
  {
    format: 'xlsx',
    label: 'XLSX',
    hint: `A workbook with dates and numbers, and a sheet that names the filter. Texts of more than ${count(MOST_CELL_TEXT)} characters stay out of it.`,
  },
  { format: 'json', label: 'JSON', hint: 'A list of objects, for programs.' },
];

interface Choice {
  format: Format;
  /** With what is offered beside the formats. */
  more: boolean;
  /** Which of the variants. */
  variant: number;
}

/** The question before an export: which format, and whether with more than the list itself holds. */
export async function askExport(request: PeopleRequest | ExportSource): Promise<void> {
  const source = 'userIds' in request ? peopleSource(request) : request;
  const rows = source.words(source.total);
  const choice: Choice = { format: 'csv', more: false, variant: 0 };
  const agreed = await confirm({
    title: `Export ${rows}?`,
    body: <Choices choice={choice} source={source} />,
    action: `Export ${rows}`,
  });
  if (!agreed) return;
  const told = source.variants?.options[choice.variant]?.source ?? source;
  await runExport((choice.more && told.more?.source) || told, choice.format);
}

interface ChoicesProps {
  /** Written into: the dialog's button comes later and reads it. */
  choice: Choice;
  source: ExportSource;
}

function Choices({ choice, source }: ChoicesProps) {
  const { filter, note, csvHint, total, more, variants } = source;
  const sheets = Math.ceil(total / (SHEET_ROWS - 1));
  return (
    <div className="export-choices">
      {filter !== undefined && <p>{filter}</p>}
      {note !== undefined && <p className="field-hint">{note}</p>}
      <fieldset>
        <legend className="field-label">Format</legend>
        {FORMATS.map(({ format, label, hint }) => (
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
            A sheet holds {count(SHEET_ROWS - 1)} rows: a workbook would have {count(sheets)} of them. CSV and
            JSON are one table.
          </p>
        )}
      </fieldset>
      {variants && (
        <label className="export-variant">
          <span className="field-label">{variants.label}</span>
          <select
            className="input"
            defaultValue={choice.variant}
            onChange={({ target }) => Object.assign(choice, { variant: Number(target.value) })}
          >
            {variants.options.map(({ label }, at) => (
              <option key={label} value={at}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
      {more && (
        <label className="export-choice">
          <input
            type="checkbox"
            className="checkbox"
            onChange={({ target }) => Object.assign(choice, { more: target.checked })}
          />
          <span>
            {more.label} <small>{more.hint}</small>
          </span>
        </label>
      )}
    </div>
  );
}
