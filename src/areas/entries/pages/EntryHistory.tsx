import { getRouteApi } from '@tanstack/react-router';
import type { EntryTypeVm } from '../../../../contract/generated/types.gen.ts';
import { Card } from '../../../ui/layout/Card.tsx';
import { ToggleChip } from '../../../ui/table/filter/FilterChips.tsx';
import { AsOfField } from '../history/AsOfField.tsx';
import { EntryComparison } from '../history/EntryComparison.tsx';
import { Timeline } from '../history/Timeline.tsx';
import { sortTimestamps, parseTimestamps, toggleChange } from '../history/timestamps.ts';
import type { Timestamps } from '../history/timestamps.ts';
import type { Field } from '../model/schema.ts';
import type { Entry } from './entry-query.ts';

const route = getRouteApi('/_app/entries/$type/$entryId');

interface EntryHistoryProps {
  type: EntryTypeVm;
  entry: Entry;
  fields: readonly Field[];
}

/** The timestamps selected in the URL, and a function to select others. */
function useTimestamps() {
  const { at, with: other } = route.useSearch();
  const navigate = route.useNavigate();
  const timestamps = parseTimestamps(at, other);
  const select = ([first, second]: Timestamps) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, at: first, with: second }),
      resetScroll: false,
    });
  return { timestamps, select };
}

/** The entry as of the selected timestamps side by side; nothing if none is selected. */
export function SelectedComparison({ type, entry, fields }: EntryHistoryProps) {
  const { timestamps, select } = useTimestamps();
  if (timestamps.length === 0) return null;
  return (
    <EntryComparison
      key={timestamps.length}
      {...{ type, entry, fields }}
      timestamps={sortTimestamps(timestamps)}
      onClose={() => select([])}
    />
  );
}

/** The changes of an entry, of which one or two can be selected for comparison. */
export function EntryHistory({ type, entry, fields }: EntryHistoryProps) {
  const { timestamps, select } = useTimestamps();
  const navigate = route.useNavigate();
  const onlyProxy = route.useSearch().proxy === 'only';
  const showOnlyProxy = (on: boolean) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, proxy: on ? 'only' : undefined }),
      resetScroll: false,
    });
  return (
    <Card
      title="History"
      actions={<ToggleChip label="Only through a proxy" on={onlyProxy} onChange={showOnlyProxy} />}
    >
      <div className="ent-line">
        <AsOfField label="As it was on" value={timestamps[0]} onChange={(at) => select([at])} />
      </div>
      <Timeline
        {...{ type, fields, timestamps, onlyProxy }}
        entryId={entry.id}
        onToggle={(change, isNewest) => select(toggleChange(timestamps, change, isNewest))}
      />
    </Card>
  );
}
