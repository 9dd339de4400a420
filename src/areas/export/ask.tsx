import { count, counted } from '../../lib/numbers.ts';
import { confirm } from '../../ui/dialog/confirm.ts';
import { runExport } from './job.ts';
import type { PeopleRequest } from './index.ts';
import { SHEET_ROWS } from './limits.ts';
import { MOST_CELL_TEXT } from '../../files/sheet-text.ts';
import type { ExportSource } from './source.ts';
import type { Format } from '../../files/writer.ts';
import { getUsersByIds } from '../../api/generated/sdk.gen.ts';
import { rowsOf } from '../../directory/directory.ts';
import { readEveryGroup } from '../../directory/groups.ts';
import { cellsOf, exportColumns } from './columns.ts';
import type { ExportRow, GroupNames } from './columns.ts';
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

// The service takes so many ids at once, and so many rows pass to a worker without a pause that anybody feels.
const PORTION = 1000;

/** People as a table; with their federation ids, which the directory does not hold, where that is chosen. */
function peopleSource(request: PeopleRequest, federation = false): ExportSource {
  const { userIds, filter, search } = request;
  return {
    subject: 'users',
    sheet: 'Users',
    words: (rows) => counted(rows, 'person', 'people'),
    columns: exportColumns(federation).map(({ heading, width }) => ({ heading, width })),
    total: userIds.length,
    filter,
    search,
    csvHint: 'Can be changed and imported again.',
    slow: federation,
    ...(!federation && {
      more: {
        label: 'Federation ids',
        hint: 'Are read from the service now; many take a while.',
        source: peopleSource(request, true),
      },
    }),
    async *portions(signal) {
      const groups = await groupNames();
      for (let at = 0; at < userIds.length; at += PORTION) {
        // A portion at a time: all at once would stop the page.
        // oxlint-disable-next-line no-await-in-loop
        const rows = await read(userIds.slice(at, at + PORTION), federation, signal);
        yield rows.map((row) => cellsOf(row, groups, federation));
      }
    },
  };
}

async function read(ids: readonly number[], federation: boolean, signal: AbortSignal): Promise<ExportRow[]> {
  const rows = await rowsOf(ids);
  if (!federation) return rows;
  const { data } = await getUsersByIds({ body: [...ids], signal });
  const known = new Map(data.map((user) => [user.id, user.federationId ?? undefined]));
  return rows.map((row) => ({ ...row, federationId: known.get(row.id) }));
}

const groupNames = async (): Promise<GroupNames> =>
  new Map((await readEveryGroup()).map(({ id, name }) => [id, name]));
