import { FIELDS, HEADINGS, ignoredBecause } from '../../../../import/people/fields.ts';
import type { Field } from '../../../../import/people/fields.ts';
import type { Choices } from '../../../../import/people/plan.ts';
import { twinWords } from '../../../../import/twin-words.ts';
import { ColumnRow } from '../../../../import/view/ColumnRow.tsx';
import { FileWords } from '../../../../import/view/FileWords.tsx';
import type { Reading } from '../../../../import/read-table.ts';
import { count } from '../../../../lib/numbers.ts';
import { Button } from '../../../../ui/button/Button.tsx';
import { Banner } from '../../../../ui/feedback/Banner.tsx';
import { Card, CardBody } from '../../../../ui/layout/Card.tsx';
import { canTellPeople } from './-use-preparation.ts';
import type { PeopleSetup, PreparedPeople } from './-use-preparation.ts';

interface ColumnsCardProps {
  prepared: PreparedPeople;
  onChange: (part: Partial<PeopleSetup>) => void;
  onReadAs: (part: Reading) => void;
  onGiveUp: () => void;
}

/** The second step: what each column of the file holds. */
export function ColumnsCard({ prepared, onChange, onReadAs, onGiveUp }: ColumnsCardProps) {
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
