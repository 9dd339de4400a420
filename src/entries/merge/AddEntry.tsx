import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { toServiceError } from '../../api/errors.ts';
import type { RowVm } from '../../api/generated/types.gen.ts';
import { Button } from '../../ui/button/Button.tsx';
import { SearchField } from '../../ui/form/SearchField.tsx';
import type { Field } from '../schema.ts';
import { readRows } from '../use-rows.ts';
import { MOST_AT_ONCE } from './merge-view.ts';

interface AddEntryProps {
  typeId: number;
  pluralName: string;
  nameField: Field;
  /** Searched for at first: duplicates are called alike. */
  like: string;
  ids: readonly number[];
  nameOf: (row: RowVm) => string;
  onAdd: (entryId: number) => void;
}

const FOUND = 8;

/** Looks for entries by name, to put them beside the others. */
export function AddEntry({ typeId, pluralName, nameField, like, ids, nameOf, onAdd }: AddEntryProps) {
  const [q, setQ] = useState(like);
  const sought = useDeferredValue(q.trim());
  const { data, error } = useQuery({
    queryKey: [{ _id: 'queryRowsByBody', typeId, duplicates: sought }],
    queryFn: ({ signal }) =>
      readRows(
        typeId,
        {
          query: { [nameField.apiName]: { $contains: sought } },
          fields: [nameField.apiName],
          limit: FOUND + MOST_AT_ONCE,
        },
        signal,
      ),
    enabled: sought !== '',
  });
  const found = data?.rows.filter(({ EntryId }) => !ids.includes(EntryId)).slice(0, FOUND) ?? [];
  const full = ids.length >= MOST_AT_ONCE ? `At most ${MOST_AT_ONCE} side by side` : undefined;
  return (
    <div className="mg-add">
      <SearchField
        label={`Search ${pluralName} to merge`}
        placeholder={`${nameField.name} contains`}
        value={q}
        onChange={setQ}
      />
      {error && <p className="field-error">{toServiceError(error).message}</p>}
      <ul aria-label="Entries found">
        {found.map((row) => (
          <li key={row.EntryId}>
            <span>
              <bdi>{nameOf(row)}</bdi> <span className="mg-id">id {row.EntryId}</span>
            </span>
            <Button size="small" disabledReason={full} onClick={() => onAdd(row.EntryId)}>
              Add<span className="visually-hidden"> {nameOf(row)}</span>
            </Button>
          </li>
        ))}
      </ul>
      {data && found.length === 0 && <p className="ent-quiet">No other entry is called so.</p>}
    </div>
  );
}
