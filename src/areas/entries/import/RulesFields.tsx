import { FIELD, holdsMoney } from '../../../../contract/rules/fields.ts';
import { ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import { useSession } from '../../../api/session.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import type { Prepared } from '../../import-view/index.ts';
import { useEntryType } from '../model/use-entry-type.ts';
import { BROWSER_TIME_ZONE } from '../model/zone.ts';
import { canHold } from './row-references.ts';
import { MAX_NAMES_TO_COMPARE } from './session.ts';
import type { EntryFileSession } from './session.ts';
import type { ParseRules, EntryImportSetup } from './setup.ts';
import { resolveKey, getAvailableKeys } from './setup.ts';

interface RulesFieldsProps {
  prepared: Prepared<EntryFileSession, EntryImportSetup>;
  onChange: (part: Partial<EntryImportSetup>) => void;
}

/** Form of the parse rules; shows only rules relevant to the columns. */
export function RulesFields({ prepared, onChange }: RulesFieldsProps) {
  const { type, fields } = useEntryType();
  const { site } = useSession();
  const { file, setup } = prepared;
  const { mapping, rules } = setup;
  const set = (part: Partial<ParseRules>) => onChange({ rules: { ...rules, ...part } });
  const inFile = fields.filter(({ apiName }) => mapping.includes(apiName));
  const hasNumbers =
    file.source.kind === 'text' &&
    inFile.some((field) => field.fieldType === FIELD.number || holdsMoney(field));
  const dates = inFile.filter(({ fieldType }) => fieldType === FIELD.date);
  const keys = getAvailableKeys(mapping, fields);
  const key = resolveKey(setup, fields);
  const namesEntries = inFile.some((field) => canHold(field, type.id));
  const nameOf = (one: string) => fields.find(({ apiName }) => apiName === one)?.name ?? 'Entry id';
  return (
    <>
      <div className="import-rules">
        <SelectChoice
          label="Match entries by"
          value={key}
          onChoose={(selected) => onChange({ key: selected })}
          options={[
            ...keys.map((one) => [one, nameOf(one)] as const),
            ['', 'None: every row is a new entry'],
          ]}
        />
        <SelectChoice
          label="Empty cells"
          value={rules.empty}
          onChoose={(empty) => set({ empty })}
          options={[
            ['keep', 'Change nothing'],
            ['clear', 'Clear the field'],
          ]}
        />
        {hasNumbers && (
          <SelectChoice
            label="Decimal separator"
            value={rules.decimal}
            onChoose={(decimal) => set({ decimal })}
            options={[
              ['point', 'Point: 1,234.5'],
              ['comma', 'Comma: 1.234,5'],
            ]}
          />
        )}
        {dates.length > 0 && (
          <SelectChoice
            label="3/4/2026 is"
            value={rules.dates}
            onChoose={(order) => set({ dates: order })}
            options={[
              ['dmy', '3 April'],
              ['mdy', '4 March'],
            ]}
          />
        )}
        {dates.some(({ isDateOnly }) => !isDateOnly) && (
          <SelectChoice
            label="Time zone of times without an offset"
            value={rules.zone}
            onChoose={(zone) => set({ zone })}
            options={[...new Set(['UTC', site.timeZone, BROWSER_TIME_ZONE, rules.zone])].map((zone) => [
              zone,
              zone,
            ])}
          />
        )}
        <SelectChoice
          label="Nearly equal names"
          value={rules.near}
          onChoose={(near) => set({ near })}
          options={[
            ['refuse', 'Leave out with the reason'],
            ['allow', 'Import anyway'],
          ]}
        />
      </div>
      <p className="field-hint">
        Choices, users and entries are named by name or by id; several are separated by semicolons. Dates that
        begin with the year are always understood.
        {namesEntries &&
          ` Other rows of the file can be named too, by their names${key === '' || key === ENTRY_ID ? '' : ` or by ${nameOf(key)}`}; their order does not matter.`}
        {rules.near === 'refuse' &&
          (type.entryCount ?? 0) > MAX_NAMES_TO_COMPARE &&
          ` Of the ${formatNumber(type.entryCount ?? 0)} names that are there, the service tells near ones only when a row is sent.`}
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

function SelectChoice<Value extends string>({ label, value, options, onChoose }: ChoiceProps<Value>) {
  return (
    <label className="import-rule">
      <span className="field-label">{label}</span>
      <select
        className="input"
        value={value}
        onChange={({ target }) => {
          const selected = options.find(([one]) => one === target.value);
          if (selected) onChoose(selected[0]);
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
