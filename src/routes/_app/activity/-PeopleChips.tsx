import { FilterChip } from '../../../ui/table/FilterChip.tsx';
import { RemovableChip } from '../../../ui/table/RemovableChip.tsx';
import { useNames } from './-use-names.ts';
import type { ActivityView } from './-view.ts';

interface PeopleChipsProps {
  view: ActivityView;
  show: (view: ActivityView) => void;
}

// More than these are told together.
const EACH = 4;

/** The people who are asked for, each to be taken out again. */
export function PeopleChips({ view, show }: PeopleChipsProps) {
  return (
    <>
      <Chips label="People" ids={view.people} onChange={(people) => show({ ...view, people })} />
      <Chips
        label="For"
        before="For "
        ids={view.principals}
        onChange={(principals) => show({ ...view, principals })}
      />
    </>
  );
}

interface ChipsProps {
  label: string;
  before?: string;
  ids: readonly number[];
  onChange: (ids: readonly number[]) => void;
}

function Chips({ label, before = '', ids, onChange }: ChipsProps) {
  const nameOf = useNames(ids);
  if (ids.length > EACH) {
    return (
      <FilterChip
        label={label}
        options={ids.map((id) => ({ value: String(id), label: nameOf(id) }))}
        value={ids.map(String)}
        onChange={(values) => onChange(values.map(Number))}
      />
    );
  }
  return ids.map((id) => (
    <RemovableChip
      key={id}
      label={before + nameOf(id)}
      onRemove={() => onChange(ids.filter((one) => one !== id))}
    />
  ));
}
