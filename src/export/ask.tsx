import { confirm } from '../ui/dialog/confirm.ts';
import { runExport } from './job.ts';
import type { PeopleRequest } from './index.ts';
import { peopleSource } from './people.ts';
import type { ExportSource } from './source.ts';
import type { Format } from './writer.ts';
import './export.css';

const FORMATS: readonly { format: Format; label: string; hint: string }[] = [
  { format: 'csv', label: 'CSV', hint: 'Text that every program reads.' },
  {
    format: 'xlsx',
    label: 'XLSX',
    hint: 'A workbook with dates and numbers, and a sheet that names the filter.',
  },
];
// A workbook is written in memory, and few programs open a larger one.
const MOST_XLSX = 250_000;

interface Choice {
  format: Format;
  /** With what is offered beside the formats. */
  more: boolean;
}

/** The question before an export: which format, and whether with more than the list itself holds. */
export async function askExport(request: PeopleRequest | ExportSource): Promise<void> {
  const source = 'userIds' in request ? peopleSource(request) : request;
  const rows = source.words(source.total);
  const choice: Choice = { format: 'csv', more: false };
  const agreed = await confirm({
    title: `Export ${rows}?`,
    body: <Choices choice={choice} source={source} />,
    action: `Export ${rows}`,
  });
  if (agreed) await runExport((choice.more && source.more?.source) || source, choice.format);
}

interface ChoicesProps {
  /** Written into: the dialog's button comes later and reads it. */
  choice: Choice;
  source: ExportSource;
}

function Choices({ choice, source }: ChoicesProps) {
  const { filter, csvHint, total, more } = source;
  const large = total > MOST_XLSX;
  return (
    <div className="export-choices">
      {filter !== undefined && <p>{filter}</p>}
      <fieldset>
        <legend className="field-label">Format</legend>
        {FORMATS.filter(({ format }) => format === 'csv' || !large).map(({ format, label, hint }) => (
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
        {large && <p className="field-hint">A workbook cannot hold so many rows.</p>}
      </fieldset>
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
