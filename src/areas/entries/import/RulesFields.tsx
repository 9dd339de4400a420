import { FIELD, holdsMoney } from '../../../../contract/rules/fields.ts';
import { useSession } from '../../../api/session.ts';
import { ENTRY_ID } from '../export/headings.ts';
import { canHold } from './rows-among.ts';
import { MOST_NAMES } from './session.ts';
import type { EntriesSession } from './session.ts';
import type { Rules } from './rules.ts';
import { keyFor, keysIn } from './setup.ts';
import type { Setup } from './setup.ts';
import { useType } from '../model/use-type.ts';
import { OWN_ZONE } from '../model/zone.ts';
import type { Prepared } from '../../import/view/use-preparation.ts';
import { count } from '../../../lib/numbers.ts';

interface RulesFieldsProps {
  prepared: Prepared<EntriesSession, Setup>;
  onChange: (part: Partial<Setup>) => void;
}

/** How the cells are meant; only what matters for the columns of this file is asked. */
export function RulesFields({ prepared, onChange }: RulesFieldsProps) {
  const { type, fields } = useType();
  const { site } = useSession();
  const { file, setup } = prepared;
  const { mapping, rules } = setup;
  const set = (part: Partial<Rules>) => onChange({ rules: { ...rules, ...part } });
  const inFile = fields.filter(({ apiName }) => mapping.includes(apiName));
  const hasNumbers =
    file.source.kind === 'text' &&
    inFile.some((field) => field.fieldType === FIELD.number || holdsMoney(field));
  const dates = inFile.filter(({ fieldType }) => fieldType === FIELD.date);
  const keys = keysIn(mapping, fields);
  const key = keyFor(setup, fields);
  const namesEntries = inFile.some((field) => canHold(field, type.id));
  const nameOf = (one: string) => fields.find(({ apiName }) => apiName === one)?.name ?? 'Entry id';
  return (
    <>
      <div className="import-rules">
        <Choice
          label="Entries are told apart by"
          value={key}
          onChoose={(chosen) => onChange({ key: chosen })}
          options={[
            ...keys.map((one) => [one, nameOf(one)] as const),
            ['', 'Nothing: every row is a new entry'],
          ]}
        />
        <Choice
          label="An empty cell"
          value={rules.empty}
          onChoose={(empty) => set({ empty })}
          options={[
            ['keep', 'changes nothing'],
            ['clear', 'clears the field'],
          ]}
        />
        {hasNumbers && (
          <Choice
            label="Decimals are written with"
            value={rules.decimal}
            onChoose={(decimal) => set({ decimal })}
            options={[
              ['point', 'a point: 1,234.5'],
              ['comma', 'a comma: 1.234,5'],
            ]}
          />
        )}
        {dates.length > 0 && (
          <Choice
            label="3/4/2026 is"
            value={rules.dates}
            onChoose={(order) => set({ dates: order })}
            options={[
              ['dmy', 'the 3rd of April'],
              ['mdy', 'the 4th of March'],
            ]}
          />
        )}
        {dates.some(({ isDateOnly }) => !isDateOnly) && (
          <Choice
            label="Times without an offset are in"
            value={rules.zone}
            onChoose={(zone) => set({ zone })}
            options={[...new Set(['UTC', site.timeZone, OWN_ZONE, rules.zone])].map((zone) => [zone, zone])}
          />
        )}
        <Choice
          label="Names that others nearly have"
          value={rules.near}
          onChoose={(near) => set({ near })}
          options={[
            ['refuse', 'are left out, with the reason'],
            ['allow', 'are imported all the same'],
          ]}
        />
      </div>
      <p className="field-hint">
        Choices, users and entries are named by name or by id; several are parted by semicolons. Dates that
        begin with the year are always understood.
        {namesEntries &&
          ` Other rows of the file can be named too, by their names${key === '' || key === ENTRY_ID ? '' : ` or by ${nameOf(key)}`}; their order does not matter.`}
        {rules.near === 'refuse' &&
          (type.entryCount ?? 0) > MOST_NAMES &&
          ` Of the ${count(type.entryCount ?? 0)} names that are there, the service tells near ones only when a row is sent.`}
      </p>
    </>
  );
}

interface ChoiceProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly (readonly [value: Value, label: string])[];
  onChoose: (value: Value) => void;
}

function Choice<Value extends string>({ label, value, options, onChoose }: ChoiceProps<Value>) {
  return (
    <label className="import-rule">
      <span className="field-label">{label}</span>
      <select
        className="input"
        value={value}
        onChange={({ target }) => {
          const chosen = options.find(([one]) => one === target.value);
          if (chosen) onChoose(chosen[0]);
        }}
      >
        {options.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
