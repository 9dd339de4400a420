import '../../../ui/form/form.css';
import { ChevronDown } from 'lucide-react';
import { useId } from 'react';
import { Button, Select, SelectValue } from 'react-aria-components';
import type { Backup } from '../../../backups/list.ts';
import { sizeWords } from '../../../backups/units.ts';
import { shortDate } from '../../../lib/dates.ts';
import { count } from '../../../lib/numbers.ts';
import { OptionList } from '../../../ui/form/options.tsx';
import './-backups.css';

interface OtherSelectProps {
  choices: readonly Backup[];
  /** How many older ones are not among them. */
  left: number;
  value: string;
  onChange: (fileName: string) => void;
}

const hintOf = ({ createdDate, size }: Backup): string =>
  [
    ...(createdDate === undefined ? [] : [shortDate(createdDate)]),
    ...(typeof size === 'number' ? [sizeWords(size)] : []),
  ].join(', ');

/** Which backup to compare with. */
export function OtherSelect({ choices, left, value, onChange }: OtherSelectProps) {
  const id = useId();
  return (
    <div className="backup-other">
      <label id={`${id}-label`} htmlFor={id}>
        Compared with
      </label>
      <Select
        aria-labelledby={`${id}-label`}
        value={value}
        onChange={(key) => {
          if (typeof key === 'string') onChange(key);
        }}
      >
        <Button id={id} className="input select-trigger">
          <SelectValue className="select-value">{value}</SelectValue>
          <ChevronDown />
        </Button>
        <OptionList
          label="Compared with"
          options={choices.map((one) => ({ value: one.fileName, label: one.fileName, hint: hintOf(one) }))}
        />
      </Select>
      {left > 0 && (
        <span className="field-hint">{count(left)} older ones: open one of them to compare it.</span>
      )}
    </div>
  );
}
