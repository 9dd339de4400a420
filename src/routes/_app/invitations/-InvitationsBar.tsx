import { RefreshCw } from 'lucide-react';
import { clockTime } from '../../../lib/dates.ts';
import { count } from '../../../lib/numbers.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { FilterChip } from '../../../ui/table/FilterChip.tsx';
import { AsOf, TableBar } from '../../../ui/table/TableBar.tsx';
import { TableTools } from '../../../ui/table/TableTools.tsx';
import { ToggleChip } from '../../../ui/table/ToggleChip.tsx';
import { COLUMNS, STATUS_WORDS } from './-columns.tsx';
import type { useInvitations } from './-query.ts';
import type { useView } from './-use-view.ts';
import { STATUSES } from './-view.ts';

interface InvitationsBarProps extends ReturnType<typeof useView> {
  hidden: readonly string[];
  list: ReturnType<typeof useInvitations>;
  counts: Readonly<Record<string, number>> | undefined;
  /** How many temporary members end soon, among all. */
  soon: number;
}

/** Search and states, each with how many it would show; how fresh the list is; its columns. */
export function InvitationsBar({
  view,
  hidden,
  show,
  type,
  settle,
  list,
  counts,
  soon,
}: InvitationsBarProps) {
  const { all, complete, error, asOf, refreshing, refresh } = list;
  return (
    <TableBar
      tools={
        <>
          {all && !complete && <AsOf tone="warn">{count(all.length)} read</AsOf>}
          {all && complete && <AsOf tone={error ? 'bad' : 'ok'}>As of {clockTime(asOf)}</AsOf>}
          <IconButton label="Read again" icon={RefreshCw} pending={refreshing} onClick={refresh} />
          <TableTools
            columns={COLUMNS}
            hidden={hidden}
            onHide={(next) => show({ ...view, hidden: next }, true)}
          />
        </>
      }
    >
      <SearchField
        label="Search invitations"
        placeholder="E-mail or name"
        value={view.q}
        onChange={type}
        onLeave={settle}
      />
      <FilterChip
        label="State"
        options={STATUSES.map((value) => ({
          value,
          label: STATUS_WORDS[value].label,
          count: counts?.[value] ?? 0,
        }))}
        value={view.status}
        onChange={(status) => show({ ...view, status })}
      />
      {(soon > 0 || view.soon) && (
        <ToggleChip
          label={`Ending soon: ${count(soon)}`}
          on={view.soon}
          onChange={(on) => show({ ...view, soon: on })}
        />
      )}
    </TableBar>
  );
}
