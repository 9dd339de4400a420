import { useMemo } from 'react';
import { usePeople } from '../../../directory/directory.ts';
import type { FoundPeople } from '../../../directory/directory.ts';
import { BulkBar } from '../../../ui/table/BulkBar.tsx';
import type { RowId } from '../../../ui/table/columns.ts';
import { useBulkItems } from './-bulk-items.ts';

interface UsersBulkProps {
  found: FoundPeople;
  selection: ReadonlySet<RowId>;
  onSelect: (next: ReadonlySet<RowId>) => void;
}

const NOBODY: readonly number[] = [];
// What is said of a few at once would have to be looked up for many; their dry run tells it.
const FEW = 200;

/** What can be done with all who are selected; they stay selected until it has begun. */
export function UsersBulk({ found, selection, onSelect }: UsersBulkProps) {
  const ids = useMemo(() => [...selection].map(Number), [selection]);
  const clear = () => onSelect(new Set());
  const known = usePeople(ids.length <= FEW ? ids : NOBODY);
  const rows = ids.flatMap((id) => known.get(id) ?? []);
  const { actions, more } = useBulkItems({
    ids,
    rows: rows.length === ids.length ? rows : undefined,
    onBegin: clear,
  });
  return (
    <BulkBar
      count={ids.length}
      total={found.ids.length}
      onSelectAll={() => onSelect(new Set(found.ids))}
      onClear={clear}
      actions={actions}
      more={more}
    />
  );
}
