import { ignoredBecause, targetsOf } from '../../../../entries/import/targets.ts';
import type { Setup } from '../../../../entries/import/setup.ts';
import type { EntriesSession } from '../../../../entries/import/session.ts';
import { useType } from '../../../../entries/use-type.ts';
import { twinWords } from '../../../../import/twin-words.ts';
import { ColumnRow } from '../../../../import/view/ColumnRow.tsx';
import { FileWords } from '../../../../import/view/FileWords.tsx';
import type { Reading } from '../../../../import/read-table.ts';
import type { Prepared } from '../../../../import/view/use-preparation.ts';
import { count } from '../../../../lib/numbers.ts';
import { Button } from '../../../../ui/button/Button.tsx';
import { Card, CardBody } from '../../../../ui/layout/Card.tsx';
import { RulesFields } from './RulesFields.tsx';

interface ColumnsCardProps {
  prepared: Prepared<EntriesSession, Setup>;
  onChange: (part: Partial<Setup>) => void;
  onReadAs: (part: Reading) => void;
  onGiveUp: () => void;
}

/** The second step: what each column of the file holds, and how its cells are meant. */
export function ColumnsCard({ prepared, onChange, onReadAs, onGiveUp }: ColumnsCardProps) {
  const { fields } = useType();
  const { file, setup } = prepared;
  const { mapping } = setup;
  const targets = targetsOf(fields);
  const options = targets.map(({ key, label }) => (
    <option key={key} value={key}>
      {label}
    </option>
  ));
  const choose = (at: number, chosen: string) => {
    const key = chosen === '' ? undefined : chosen;
    // A field is in one column: choosing it takes it away from the other.
    onChange({ mapping: mapping.map((old, other) => (other === at ? key : old === key ? undefined : old)) });
  };
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
          <FileWords
            {...{ prepared, onReadAs }}
            ignored={mapping.filter((key) => key === undefined).length}
          />
        </div>
        <ul className="import-columns">
          {file.headings.map((heading, at) => (
            // Columns have no identity but their place; headings may repeat.
            // oxlint-disable-next-line react/no-array-index-key
            <li key={at}>
              <ColumnRow
                heading={heading === '' ? `Column ${count(at + 1)}` : heading}
                note={
                  (mapping[at] === undefined
                    ? (ignoredBecause(heading, fields) ?? twinWords(file.headings, at))
                    : undefined) ??
                  file.samples[at] ??
                  ''
                }
                value={mapping[at] ?? ''}
                onChoose={(key) => choose(at, key)}
              >
                {options}
              </ColumnRow>
            </li>
          ))}
        </ul>
        <RulesFields {...{ prepared, onChange }} />
      </CardBody>
    </Card>
  );
}
