import { RefreshCw } from 'lucide-react';
import type { ServiceError } from '../../../api/errors.ts';
import { clockTime } from '../../../lib/dates.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import type { Sort } from '../../../ui/table/columns.ts';
import { FilterChip } from '../../../ui/table/FilterChip.tsx';
import { AsOf, TableBar } from '../../../ui/table/TableBar.tsx';
import { TableTools } from '../../../ui/table/TableTools.tsx';
import { COLUMNS } from './-columns.tsx';
import type { useView } from './-use-view.ts';
import { KINDS, STATES } from './-view.ts';
import type { findBackups } from './-view.ts';
import { KIND_WORDS, STATE_LABELS } from './-words.ts';

interface BackupsBarProps extends ReturnType<typeof useView> {
  hidden: readonly string[];
  sort: Sort;
  onSort: (sort: Sort) => void;
  counts: ReturnType<typeof findBackups>['counts'] | undefined;
  /** When the list was read; undefined before. */
  asOf: number | undefined;
  failure: ServiceError | undefined;
  refreshing: boolean;
  refresh: () => void;
}

/** Search, states and kinds, each with how many it would show; how fresh the list is; its columns. */
export function BackupsBar(props: BackupsBarProps) {
  const { view, show, type, settle, hidden, sort, onSort, counts, asOf, failure, refreshing, refresh } =
    props;
  return (
    <TableBar
      tools={
        <>
          {asOf !== undefined && <AsOf tone={failure ? 'bad' : 'ok'}>As of {clockTime(asOf)}</AsOf>}
          <IconButton label="Read again" icon={RefreshCw} pending={refreshing} onClick={refresh} />
          <TableTools
            columns={COLUMNS}
            hidden={hidden}
            onHide={(next) => show({ ...view, hidden: next }, true)}
            sort={sort}
            onSort={onSort}
          />
        </>
      }
    >
      <SearchField
        label="Search backups"
        placeholder="File, person, type or SHA-256"
        value={view.q}
        onChange={type}
        onLeave={settle}
      />
      <FilterChip
        label="State"
        options={STATES.map((value) => ({
          value,
          label: STATE_LABELS[value],
          count: counts?.state[value] ?? 0,
        }))}
        value={view.status}
        onChange={(status) => show({ ...view, status })}
      />
      <FilterChip
        label="Kind"
        options={KINDS.map((value) => ({ value, label: KIND_WORDS[value], count: counts?.kind[value] ?? 0 }))}
        value={view.kind}
        onChange={(kind) => show({ ...view, kind })}
      />
    </TableBar>
  );
}
