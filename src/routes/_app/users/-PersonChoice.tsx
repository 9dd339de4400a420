import { usePeople } from '../../../directory/directory.ts';
import '../../../ui/form/check.css';

interface PersonChoiceProps {
  entry: string;
  ids: readonly number[];
  picked: ReadonlySet<number>;
  onPick: (picked: ReadonlySet<number>) => void;
}

/** Whom an entry may mean, each to be ticked. */
export function PersonChoice({ entry, ids, picked, onPick }: PersonChoiceProps) {
  const people = usePeople(ids);
  const toggle = (id: number) => {
    const next = new Set(picked);
    if (!next.delete(id)) next.add(id);
    onPick(next);
  };
  return (
    <fieldset className="paste-choice">
      <legend className="mono">{entry}</legend>
      {ids.map((id) => {
        const person = people.get(id);
        return (
          <label key={id}>
            <input
              type="checkbox"
              className="checkbox"
              checked={picked.has(id)}
              onChange={() => toggle(id)}
            />
            <span>
              {person?.name ?? id} <small>{person?.email}</small>
              {person?.isActive === false && <small> · inactive</small>}
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}
