import { counted } from '../lib/numbers.ts';
import { confirm } from '../ui/dialog/confirm.ts';
import { runExport } from './job.ts';
import type { ExportRequest } from './index.ts';
import type { Format } from './writer.ts';
import './export.css';

const FORMATS: readonly { format: Format; label: string; hint: string }[] = [
  { format: 'csv', label: 'CSV', hint: 'Can be changed and imported again.' },
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
  federation: boolean;
}

/** The question before an export: which format, and whether to read what the directory does not hold. */
export async function askExport({ userIds, filter, search }: ExportRequest): Promise<void> {
  const people = counted(userIds.length, 'person', 'people');
  const choice: Choice = { format: 'csv', federation: false };
  const agreed = await confirm({
    title: `Export ${people}?`,
    body: <Choices choice={choice} filter={filter} large={userIds.length > MOST_XLSX} />,
    action: `Export ${people}`,
  });
  if (agreed) await runExport({ userIds, filter, search, ...choice });
}

interface ChoicesProps {
  /** Written into: the dialog's button comes later and reads it. */
  choice: Choice;
  filter: string | undefined;
  large: boolean;
}

function Choices({ choice, filter, large }: ChoicesProps) {
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
              {label} <small>{hint}</small>
            </span>
          </label>
        ))}
        {large && <p className="field-hint">A workbook cannot hold so many people.</p>}
      </fieldset>
      <label className="export-choice">
        <input
          type="checkbox"
          className="checkbox"
          onChange={({ target }) => Object.assign(choice, { federation: target.checked })}
        />
        <span>
          Federation ids <small>Are read from the service now; many take a while.</small>
        </span>
      </label>
    </div>
  );
}
