import { ChartColumnStacked, CircleAlert, RefreshCw } from 'lucide-react';
import { useId, useState } from 'react';
import { activities, exportKinds, sources } from '../../../../contract/rules/activity.ts';
import type { ServiceError } from '../../../api/errors.ts';
import { clockTime } from '../../../lib/dates.ts';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { FilterChip } from '../../../ui/table/FilterChip.tsx';
import { AsOf, TableBar } from '../../../ui/table/TableBar.tsx';
import { TableTools } from '../../../ui/table/TableTools.tsx';
import { ToggleChip } from '../../../ui/table/ToggleChip.tsx';
import { showChart, useChartShown } from '../model/chart-shown.ts';
import { COLUMNS } from './columns.tsx';
import { faultsOf } from '../model/errors.ts';
import { keepHiddenColumns } from '../model/hidden-columns.ts';
import { dayOf } from '../model/moments.ts';
import { PeopleBox } from './PeopleBox.tsx';
import { isCut, reachOf } from '../model/range.ts';
import { RangeChip } from './RangeChip.tsx';
import { withKind, withTypes } from '../model/view.ts';
import type { ActivityView } from '../model/view.ts';
import { RemovableChip } from '../../../ui/table/RemovableChip.tsx';
import { useNames } from './use-names.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { FieldFrame } from '../../../ui/form/FieldFrame.tsx';
import { CardChip } from '../../../ui/table/CardChip.tsx';

const optionsOf = (names: Readonly<Record<number, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));
const TYPES = optionsOf(activities);
const SOURCES = optionsOf(sources);
const KINDS = optionsOf(exportKinds);

const numbers = (values: readonly string[]) => values.map(Number);

interface ActivityBarProps {
  view: ActivityView;
  show: (view: ActivityView) => void;
  /** How many rows of each type there are; undefined while only some types are asked for. */
  countOf: ((type: number) => number) | undefined;
  error: ServiceError | undefined;
  hidden: readonly string[];
  /** When the report was opened; it ends there, or earlier. */
  pinned: number;
  zone: string;
  /** How fresh what is shown is. */
  asOf: number;
  live: boolean;
  /** Undefined for a period that is over. */
  onLive: ((live: boolean) => void) | undefined;
  refreshing: boolean;
  onRefresh: () => void;
}

/** What is asked for, each part as a chip that can be taken away; how fresh the answer is; live. */
export function ActivityBar(props: ActivityBarProps) {
  const { view, show, countOf, error, pinned: now, zone } = props;
  const faults = faultsOf(error);
  return (
    <div className="act-bar">
      <TableBar tools={<Tools {...props} />}>
        <PeopleBox
          chosen={view.people}
          onAdd={(ids) => show({ ...view, people: [...new Set([...view.people, ...ids])] })}
        />
        <RangeChip
          {...{ now, zone }}
          range={view.range}
          error={faults.period}
          onChange={(range) => show({ ...view, range })}
        />
        <PeopleChips {...{ view, show }} />
        <FilterChip
          label="Type"
          options={TYPES.map((type) => ({ ...type, count: countOf?.(Number(type.value)) }))}
          value={view.types.map(String)}
          onChange={(values) => show(withTypes(view, numbers(values)))}
        />
        <FilterChip
          label="Source"
          options={SOURCES}
          value={view.sources.map(String)}
          onChange={(values) => show({ ...view, sources: numbers(values) })}
        />
        <FilterChip
          label="Export kind"
          options={KINDS}
          value={view.kind === undefined ? [] : [String(view.kind)]}
          // One at a time is what the service can be asked for.
          onChange={(values) => show(withKind(view, numbers(values.slice(-1))[0]))}
        />
        <AddressChip
          address={view.address}
          error={faults.address}
          onChange={(address) => show({ ...view, address })}
        />
        <ToggleChip
          label="Only through a proxy"
          on={view.onlyProxy}
          onChange={(onlyProxy) => show({ ...view, onlyProxy })}
        />
      </TableBar>
      {isCut(view.range, now) && (
        <p className="field-hint">What happened before {dayOf(reachOf(now))} is no longer in the report.</p>
      )}
      {Object.values(faults).map((fault) => (
        <p key={fault} className="field-error" role="alert">
          <CircleAlert />
          {fault}
        </p>
      ))}
    </div>
  );
}

function Tools({ hidden, asOf, live, onLive, refreshing, onRefresh, error }: ActivityBarProps) {
  const chart = useChartShown();
  return (
    <>
      <AsOf tone={error ? 'bad' : 'ok'}>As of {clockTime(asOf)}</AsOf>
      <IconButton label="Read again up to now" icon={RefreshCw} pending={refreshing} onClick={onRefresh} />
      {onLive && <ToggleChip label="Live" on={live} onChange={onLive} />}
      <IconButton
        label={chart ? 'Hide the chart' : 'Show the chart'}
        icon={ChartColumnStacked}
        onClick={() => showChart(!chart)}
      />
      <TableTools columns={COLUMNS} hidden={hidden} onHide={keepHiddenColumns} />
    </>
  );
}

interface PeopleChipsProps {
  view: ActivityView;
  show: (view: ActivityView) => void;
}

// More than these are told together.
const EACH = 4;

/** The people who are asked for, each to be taken out again. */
function PeopleChips({ view, show }: PeopleChipsProps) {
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

interface AddressChipProps {
  address: string;
  /** What the service says of it. */
  error: string | undefined;
  onChange: (address: string) => void;
}

/** From which address, or from which network. */
function AddressChip({ address, error, onChange }: AddressChipProps) {
  return (
    <CardChip
      label="IP address"
      value={address === '' ? undefined : address}
      error={error}
      onClear={() => onChange('')}
    >
      {(close) => (
        <AddressForm
          {...{ address, error }}
          onChange={(next) => {
            onChange(next);
            close();
          }}
        />
      )}
    </CardChip>
  );
}

function AddressForm({ address, error, onChange }: AddressChipProps) {
  const id = useId();
  const [typed, setTyped] = useState(address);
  return (
    <form
      className="act-between"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        onChange(typed.trim());
      }}
    >
      <FieldFrame
        id={id}
        noteId={`${id}-note`}
        label="IP address or network"
        hint="203.0.113.7, 203.0.113.0/24 or 2001:db8::/32"
        // What was said of an address is no longer said of another one.
        error={typed === address ? error : undefined}
      >
        <input
          id={id}
          className="input mono"
          value={typed}
          maxLength={50}
          autoComplete="off"
          spellCheck={false}
          // The card was opened for this.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          aria-invalid={typed === address && error !== undefined}
          aria-describedby={`${id}-note`}
          onChange={({ target }) => setTyped(target.value)}
        />
      </FieldFrame>
      <Button type="submit" size="small" variant="primary">
        Show this address
      </Button>
    </form>
  );
}
