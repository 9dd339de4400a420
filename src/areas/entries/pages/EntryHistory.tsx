import { getRouteApi } from '@tanstack/react-router';
import type { EntryTypeVm } from '../../../api/generated/types.gen.ts';
import type { Field } from '../model/schema.ts';
import { Compare } from '../history/Compare.tsx';
import { MomentField } from '../history/MomentField.tsx';
import { Timeline } from '../history/Timeline.tsx';
import { inTime, momentsIn, picked } from '../history/moments.ts';
import type { Moments } from '../history/moments.ts';
import { Card } from '../../../ui/layout/Card.tsx';
import type { Entry } from './entry-query.ts';

const route = getRouteApi('/_app/entries/$type/$entryId');

interface EntryHistoryProps {
  type: EntryTypeVm;
  entry: Entry;
  fields: readonly Field[];
}

/** The moments that the address says, and the way to others. */
function useMoments() {
  const { at, with: other } = route.useSearch();
  const navigate = route.useNavigate();
  const moments = momentsIn(at, other);
  const show = ([first, second]: Moments) =>
    void navigate({
      to: '.',
      search: (before) => ({ ...before, at: first, with: second }),
      resetScroll: false,
    });
  return { moments, show };
}

/** Moments side by side, as long as some are picked. */
export function EntryMoments({ type, entry, fields }: EntryHistoryProps) {
  const { moments, show } = useMoments();
  if (moments.length === 0) return null;
  return (
    <Compare
      key={moments.length}
      {...{ type, entry, fields }}
      moments={inTime(moments)}
      onClose={() => show([])}
    />
  );
}

/** Everything that happened to the entry; picking one or two moments shows them side by side. */
export function EntryHistory({ type, entry, fields }: EntryHistoryProps) {
  const { moments, show } = useMoments();
  return (
    <Card title="History">
      <div className="ent-line">
        <MomentField label="As it was on" at={moments[0]} onChoose={(at) => show([at])} />
      </div>
      <Timeline
        {...{ type, fields, moments }}
        entryId={entry.id}
        onPick={(at) => show(picked(moments, at))}
      />
    </Card>
  );
}
