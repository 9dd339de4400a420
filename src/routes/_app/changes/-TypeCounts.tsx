import { Link } from '@tanstack/react-router';
import type { ChangeCount, EntryTypeVm } from '../../../api/generated/types.gen.ts';
import { writeChangesView } from '../../../entries/time/changes-view.ts';
import type { ChangesView } from '../../../entries/time/changes-view.ts';
import type { Since } from '../../../entries/time/changes.ts';
import { count } from '../../../lib/numbers.ts';

interface TypeCountsProps {
  counts: readonly ChangeCount[];
  types: readonly EntryTypeVm[];
  view: ChangesView;
  since: Since;
  /** Id of the type whose entries are listed. */
  current: number | undefined;
}

/** How many entries of each type changed; each leads to them, and to its list as it was before. */
export function TypeCounts({ counts, types, view, since, current }: TypeCountsProps) {
  return (
    <nav className="chg-types" aria-label="Entry types with changes">
      {counts.map(({ entryTypeId, created, changed, gone }) => {
        const type = types.find(({ id }) => id === entryTypeId);
        return (
          type && (
            <div
              key={entryTypeId}
              className="chg-type"
              data-current={entryTypeId === current ? '' : undefined}
            >
              <Link
                to="/changes"
                search={writeChangesView({ ...view, type: type.apiName })}
                aria-current={entryTypeId === current ? 'true' : undefined}
              >
                {type.pluralName}
              </Link>
              <span className="num">
                {count(created)} created · {count(changed)} changed · {count(gone)} gone
              </span>
              <Link
                to="/entries/$type/past"
                params={{ type: type.apiName }}
                search={{ asOf: since.modifiedSince }}
                className="chg-before"
              >
                As they were
              </Link>
            </div>
          )
        );
      })}
    </nav>
  );
}
