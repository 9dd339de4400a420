import { FileSpreadsheet } from 'lucide-react';
import { useDirectory } from '../../../directory/directory.ts';
import { useImportRun } from '../../import/run.ts';
import type { About } from '../../import/keep.ts';
import { HEADINGS, FIELDS, ignoredBecause } from './fields.ts';
import { ChooseFile, Ready } from '../../import/view/Prepare.tsx';
import { Running } from '../../import/view/Running.tsx';
import { count } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { canTellPeople, useCheck, usePeoplePreparation } from './use-preparation.ts';
import type { PreparedPeople, PeopleSetup } from './use-preparation.ts';
import { toCsv } from '../../../files/csv.ts';
import { saveFile } from '../../../files/save-file.ts';
import type { Field } from './fields.ts';
import type { Choices } from './plan.ts';
import { twinWords } from '../../import/twin-words.ts';
import { ColumnRow } from '../../import/view/ColumnRow.tsx';
import { FileWords } from '../../import/view/FileWords.tsx';
import type { Reading } from '../../../files/read-table.ts';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import '../../import/view/import.css';

const ABOUT: About = {
  place: 'people',
  words: ['person', 'people'],
  labels: HEADINGS,
  detail: HEADINGS.email,
};
const PAGE = { title: 'Import users', subject: 'Person' };

/** From a file to people: prepared here, then followed here or in the tray. */
export function ImportPage() {
  const run = useImportRun(ABOUT.place);
  const preparation = usePeoplePreparation();
  const { error, size } = useDirectory();
  // Rows are compared with everybody: who may not read people cannot import any.
  if (error?.status === 403 && size === undefined) throw error;
  if (run) return <Running run={run} {...PAGE} onAgain={(file) => void preparation.open(file)} />;
  const { stage } = preparation;
  if (stage.at === 'ready') return <Prepare key={stage.id} prepared={stage} preparation={preparation} />;
  return (
    <ChooseFile
      preparation={preparation}
      title={PAGE.title}
      meta="Create and change many from a file"
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
  prepared: PreparedPeople;
  preparation: ReturnType<typeof usePeoplePreparation>;
}

function Prepare({ prepared, preparation }: PrepareProps) {
  const { change, readAs, giveUp } = preparation;
  const check = useCheck(prepared);
  return (
    <Ready {...PAGE} {...{ prepared, check }} about={ABOUT} onGiveUp={giveUp} blocked={useBlocked(prepared)}>
      <ColumnsCard
        prepared={prepared}
        onChange={change}
        onReadAs={(part) => void readAs(part)}
        onGiveUp={giveUp}
      />
    </Ready>
  );
}

/** What stands where the rows would be, as long as they cannot be compared with everybody. */
function useBlocked({ setup }: PreparedPeople) {
  const { complete, size = 0 } = useDirectory();
  if (!complete)
    return (
      <Banner tone="info" title="Everybody of this site is still being read">
        {count(size)} people so far. Then the rows are compared with them.
      </Banner>
    );
  return canTellPeople(setup.mapping) ? undefined : null;
}

/** An empty file with every column, and two people who show how cells are written. */
function saveTemplate(): void {
  const { id: _, ...columns } = HEADINGS;
  saveFile(
    'users-template.csv',
    toCsv([
      Object.values(columns),
      ['ann.example@company.example', 'Ann', 'Example', 'Active', 'Standard', '', 'No', 'No', ''],
      ['ben.example@company.example', 'Ben', 'Example', 'Inactive', 'No License', '', 'No', 'No', ''],
    ]),
  );
}

interface ColumnsCardProps {
  prepared: PreparedPeople;
  onChange: (part: Partial<PeopleSetup>) => void;
  onReadAs: (part: Reading) => void;
  onGiveUp: () => void;
}

/** The second step: what each column of the file holds. */
function ColumnsCard({ prepared, onChange, onReadAs, onGiveUp }: ColumnsCardProps) {
  const { file, setup } = prepared;
  const { mapping, choices } = setup;
  const { headings, samples } = file;
  const ignored = mapping.filter((field) => field === undefined).length;
  const choose = (at: number, field: Field | undefined) =>
    onChange({
      // A field is in one column: choosing it takes it away from the other.
      mapping: mapping.map((old, other) => (other === at ? field : old === field ? undefined : old)),
    });
  return (
    <Card
      title="2. Columns"
      actions={
        <Button size="small" onClick={onGiveUp}>
          Choose another file
        </Button>
      }
    >
      <CardBody>
        <div className="import-columns-head">
          <FileWords {...{ prepared, ignored, onReadAs }} />
          {!canTellPeople(mapping) && (
            <Banner tone="bad" title="Say which column holds the e-mail address or the id">
              Without one of them nobody knows whom a row is about.
            </Banner>
          )}
        </div>
        <ul className="import-columns">
          {headings.map((heading, at) => (
            // Columns have no identity but their place; headings may repeat.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={at}>
              <Column
                heading={heading === '' ? `Column ${count(at + 1)}` : heading}
                sample={
                  (mapping[at] === undefined ? twinWords(headings, at) : undefined) ?? samples[at] ?? ''
                }
                field={mapping[at]}
                onChoose={(field) => choose(at, field)}
              />
            </li>
          ))}
        </ul>
        {mapping.includes('groups') && <GroupsChoice choices={choices} onChange={onChange} />}
        <p className="field-hint">
          An empty cell changes nothing. Two-factor authentication and approved addresses can be switched on,
          never off.
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
  const because = field === undefined ? ignoredBecause(heading) : undefined;
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

const GROUP_CHOICES: readonly { value: Choices['groups']; label: string }[] = [
  { value: 'add', label: 'are added to those that people have' },
  { value: 'exact', label: 'replace those that people have; a row without groups changes none' },
];

function GroupsChoice({ choices, onChange }: { choices: Choices; onChange: ColumnsCardProps['onChange'] }) {
  return (
    <fieldset className="import-groups">
      <legend className="field-label">Groups of the file</legend>
      {GROUP_CHOICES.map(({ value, label }) => (
        <label key={value}>
          <input
            type="radio"
            name="import-groups"
            checked={choices.groups === value}
            onChange={() => onChange({ choices: { ...choices, groups: value } })}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
