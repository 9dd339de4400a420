import { FIELDS, HEADINGS, ignoredBecause } from '../../../../import/fields.ts';
import type { Field, Mapping } from '../../../../import/fields.ts';
import type { Choices } from '../../../../import/plan.ts';
import { count, counted } from '../../../../lib/numbers.ts';
import { Button } from '../../../../ui/button/Button.tsx';
import { Banner } from '../../../../ui/feedback/Banner.tsx';
import { Card, CardBody } from '../../../../ui/layout/Card.tsx';
import { canTellPeople } from './-use-preparation.ts';
import type { Prepared } from './-use-preparation.ts';

const SEPARATORS: Record<string, string> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs', '|': 'bars' };
const ENCODINGS = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'utf-16be': 'UTF-16',
  'windows-1252': 'Windows-1252',
};

interface ColumnsCardProps {
  prepared: Prepared;
  onChange: (part: { mapping?: Mapping; choices?: Choices }) => void;
  onGiveUp: () => void;
}

// The field that chose the file is gone: whoever works by keyboard goes on from what was found.
const takeFocus = (words: HTMLElement | null) => words?.focus({ preventScroll: true });

/** The second step: what each column of the file holds. */
export function ColumnsCard({ prepared, onChange, onGiveUp }: ColumnsCardProps) {
  const { name, file, mapping, choices } = prepared;
  const { headings, samples, rows, separator, encoding } = file;
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
          <p ref={takeFocus} tabIndex={-1}>
            <strong>{name}</strong> · {counted(rows, 'row', 'rows')} · parted by{' '}
            {SEPARATORS[separator] ?? separator} · {ENCODINGS[encoding]}
            {ignored > 0 && ` · ${counted(ignored, 'column', 'columns')} ignored`}
          </p>
          {encoding === 'windows-1252' && (
            <Banner tone="warn" title="This file is no Unicode text and was read as Windows-1252">
              Look at names with accents before you import. If they are wrong, save the file as CSV UTF-8.
            </Banner>
          )}
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
              <ColumnRow
                heading={heading === '' ? `Column ${count(at + 1)}` : heading}
                sample={samples[at] ?? ''}
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

interface ColumnRowProps {
  heading: string;
  sample: string;
  field: Field | undefined;
  onChoose: (field: Field | undefined) => void;
}

function ColumnRow({ heading, sample, field, onChoose }: ColumnRowProps) {
  const because = field === undefined ? ignoredBecause(heading) : undefined;
  return (
    <label className="import-column">
      <span className="import-column-name">
        <strong>{heading}</strong>
        <small>{because ?? (sample === '' ? 'Empty' : sample)}</small>
      </span>
      <select
        className="input"
        value={field ?? ''}
        onChange={({ target }) => onChoose(FIELDS.find((one) => one === target.value))}
      >
        <option value="">Ignored</option>
        {FIELDS.map((one) => (
          <option key={one} value={one}>
            {HEADINGS[one]}
          </option>
        ))}
      </select>
    </label>
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
