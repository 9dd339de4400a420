import { FileSpreadsheet } from 'lucide-react';
import { useDirectory } from '../../../directory/directory.ts';
import { formatCsv } from '../../../files/csv.ts';
import { saveFile } from '../../../files/download.ts';
import { getDuplicateNote } from '../../../files/import-plan/file-columns.ts';
import type { ReadOptions } from '../../../files/table.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { ChooseFile, PrepareImport, Running, ColumnRow, FileSummary } from '../../import-view/index.ts';
import { useImportRun } from '../../import/index.ts';
import type { ImportDescription } from '../../import/index.ts';
import { HEADINGS, FIELDS, getIgnoredReason } from './fields.ts';
import type { Field } from './fields.ts';
import type { ImportOptions } from './plan.ts';
import { identifiesUsers, useCheck, useUserPreparation } from './use-preparation.ts';
import type { PreparedUsers, UserImportSetup } from './use-preparation.ts';

const DESCRIPTION: ImportDescription = {
  runKey: 'people',
  nouns: ['person', 'people'],
  labels: HEADINGS,
  detailLabel: HEADINGS.email,
};
const PAGE_PROPS = { title: 'Import users', subject: 'Person' };

/** Page for importing users from a file. */
export function ImportPage() {
  const run = useImportRun(DESCRIPTION.runKey);
  const preparation = useUserPreparation();
  const { error, size } = useDirectory();
  // Rows are compared with all users; without access to users nothing can be imported.
  if (error?.status === 403 && size === undefined) throw error;
  if (run) return <Running run={run} {...PAGE_PROPS} onRetryFile={(file) => void preparation.open(file)} />;
  const { stage } = preparation;
  if (stage.status === 'ready') return <Prepare key={stage.id} prepared={stage} preparation={preparation} />;
  return (
    <ChooseFile
      preparation={preparation}
      title={PAGE_PROPS.title}
      meta="Create and change many records from a file"
      row="One person"
      actions={
        <Button size="small" icon={FileSpreadsheet} onClick={saveTemplate}>
          Download the template
        </Button>
      }
    />
  );
}

interface PrepareProps {
  prepared: PreparedUsers;
  preparation: ReturnType<typeof useUserPreparation>;
}

function Prepare({ prepared, preparation }: PrepareProps) {
  const { change, readAs, discard } = preparation;
  const check = useCheck(prepared);
  return (
    <PrepareImport
      {...PAGE_PROPS}
      {...{ prepared, check }}
      description={DESCRIPTION}
      onDiscard={discard}
      blockedBy={useBlockedBy(prepared)}
    >
      <ColumnsCard
        prepared={prepared}
        onChange={change}
        onReadAs={(part) => void readAs(part)}
        onDiscard={discard}
      />
    </PrepareImport>
  );
}

/** Shown instead of the rows until they can be compared with all users. */
function useBlockedBy({ setup }: PreparedUsers) {
  const { complete, size = 0 } = useDirectory();
  if (!complete)
    return (
      <Banner tone="info" title="People are still loading">
        {formatNumber(size)} people loaded so far. Rows are compared once all are loaded.
      </Banner>
    );
  return identifiesUsers(setup.mapping) ? undefined : null;
}

/** Saves a template with all columns and two example users. */
function saveTemplate(): void {
  const { id: _, ...columns } = HEADINGS;
  saveFile(
    'users-template.csv',
    formatCsv([
      Object.values(columns),
      ['ann.example@company.example', 'Ann', 'Example', 'Active', 'Standard', '', 'No', 'No', ''],
      ['ben.example@company.example', 'Ben', 'Example', 'Inactive', 'No License', '', 'No', 'No', ''],
    ]),
  );
}

interface ColumnsCardProps {
  prepared: PreparedUsers;
  onChange: (part: Partial<UserImportSetup>) => void;
  onReadAs: (part: ReadOptions) => void;
  onDiscard: () => void;
}

/** Second step: the field of each column. */
function ColumnsCard({ prepared, onChange, onReadAs, onDiscard }: ColumnsCardProps) {
  const { file, setup } = prepared;
  const { mapping, options } = setup;
  const { headings, samples } = file;
  const ignored = mapping.filter((field) => field === undefined).length;
  const choose = (at: number, field: Field | undefined) =>
    onChange({
      // A field belongs to one column, so it is removed from the other.
      mapping: mapping.map((old, other) => (other === at ? field : old === field ? undefined : old)),
    });
  return (
    <Card
      title="2. Columns"
      actions={
        <Button size="small" onClick={onDiscard}>
          Choose another file
        </Button>
      }
    >
      <CardBody>
        <div className="import-columns-head">
          <FileSummary {...{ prepared, ignoredCount: ignored, onReadAs }} />
          {!identifiesUsers(mapping) && (
            <Banner tone="bad" title="Choose the column with the e-mail address or the id">
              Rows are matched to people by one of them.
            </Banner>
          )}
        </div>
        <ul className="import-columns">
          {headings.map((heading, at) => (
            // Columns have no identity but their place; headings may repeat.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={at}>
              <Column
                heading={heading === '' ? `Column ${formatNumber(at + 1)}` : heading}
                sample={
                  (mapping[at] === undefined ? getDuplicateNote(headings, at) : undefined) ??
                  samples[at] ??
                  ''
                }
                field={mapping[at]}
                onChoose={(field) => choose(at, field)}
              />
            </li>
          ))}
        </ul>
        {mapping.includes('groups') && <GroupOptions choices={options} onChange={onChange} />}
        <p className="field-hint">
          An empty cell changes nothing. Two-factor authentication and approved addresses can be turned on,
          not off.
        </p>
      </CardBody>
    </Card>
  );
}

interface ColumnProps {
  heading: string;
  sample: string;
  field: Field | undefined;
  onChoose: (field: Field | undefined) => void;
}

function Column({ heading, sample, field, onChoose }: ColumnProps) {
  const because = field === undefined ? getIgnoredReason(heading) : undefined;
  return (
    <ColumnRow
      heading={heading}
      note={because ?? sample}
      value={field ?? ''}
      onChoose={(value) => onChoose(FIELDS.find((one) => one === value))}
    >
      {FIELDS.map((one) => (
        <option key={one} value={one}>
          {HEADINGS[one]}
        </option>
      ))}
    </ColumnRow>
  );
}

const GROUP_OPTIONS: readonly { value: ImportOptions['groups']; label: string }[] = [
  { value: 'add', label: 'Add to existing groups' },
  { value: 'exact', label: 'Replace existing groups; rows without groups change none' },
];

function GroupOptions({
  choices,
  onChange,
}: {
  choices: ImportOptions;
  onChange: ColumnsCardProps['onChange'];
}) {
  return (
    <fieldset className="import-groups">
      <legend className="field-label">Groups of the file</legend>
      {GROUP_OPTIONS.map(({ value, label }) => (
        <label key={value}>
          <input
            type="radio"
            name="import-groups"
            checked={choices.groups === value}
            onChange={() => onChange({ options: { ...choices, groups: value } })}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
