import { useId, useState } from 'react';
import { useController } from 'react-hook-form';
import type { Control } from 'react-hook-form';
import type { EntryTypeVm } from '../../../api/generated/types.gen.ts';
import { fold } from '../../../lib/fold.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Check } from '../../../ui/form/Check.tsx';
import { FieldNote } from '../../../ui/form/FieldFrame.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import type { RequestValues } from './-request-form.ts';

interface TypesFieldProps {
  control: Control<RequestValues, unknown, RequestValues>;
  types: readonly EntryTypeVm[];
}

// A few are seen at once.
const MANY = 8;

/** Some of the entry types: found by name, all at once or one by one. */
export function TypesField({ control, types }: TypesFieldProps) {
  const id = useId();
  const [q, setQ] = useState('');
  const { field, fieldState } = useController({ control, name: 'typeIds' });
  const wanted = fold(q.trim());
  const shown = types.filter(({ apiName, pluralName }) => fold(`${pluralName}\n${apiName}`).includes(wanted));
  const chosen = new Set(field.value);
  const all = shown.length > 0 && shown.every((type) => chosen.has(type.id));
  const set = (ids: readonly number[], on: boolean) => {
    const rest = field.value.filter((one) => !ids.includes(one));
    field.onChange(on ? [...rest, ...ids] : rest);
  };
  return (
    <fieldset className="backup-types">
      <legend className="field-label">
        Entry types <span className="num">{count(chosen.size)}</span>
      </legend>
      {types.length > MANY && <SearchField label="Search entry types" value={q} onChange={setQ} />}
      <div className="backup-types-all">
        <Button
          size="small"
          onClick={() =>
            set(
              shown.map((type) => type.id),
              !all,
            )
          }
        >
          {all ? 'Select none' : wanted === '' ? 'Select all' : `Select all ${count(shown.length)} found`}
        </Button>
        <span className="field-hint">{counted(types.length, 'entry type', 'entry types')} on this site</span>
      </div>
      <div className="backup-types-list">
        {shown.map((type) => (
          <Check
            key={type.id}
            kind="checkbox"
            id={`${id}-${type.id}`}
            label={type.pluralName}
            hint={type.entryCount === undefined ? type.apiName : counted(type.entryCount, 'entry', 'entries')}
            checked={chosen.has(type.id)}
            onChange={(on) => set([type.id], on)}
          />
        ))}
        {shown.length === 0 && <p className="field-hint">No entry type has this in its name.</p>}
      </div>
      {fieldState.error && <FieldNote id={`${id}-note`} error={fieldState.error.message} />}
    </fieldset>
  );
}
