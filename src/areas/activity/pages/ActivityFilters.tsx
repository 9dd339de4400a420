import { useQuery } from '@tanstack/react-query';
import { ChartColumnStacked, CircleAlert, RefreshCw, Search } from 'lucide-react';
import { useId, useState } from 'react';
import { ComboBox } from 'react-aria-components/ComboBox';
import { Input } from 'react-aria-components/Input';
import { activityNames, exportTypeNames, activitySourceNames } from '../../../../contract/rules/activity.ts';
import type { ServiceError } from '../../../api/errors.ts';
import { usePermission } from '../../../api/session.ts';
import { DataAge } from '../../../app/freshness/DataAge.tsx';
import { TableViews } from '../../../app/views/TableViews.tsx';
import { resolvePastedText } from '../../../directory/directory.ts';
import { useFoundPeople } from '../../../directory/use-found-people.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { FieldFrame } from '../../../ui/form/FieldFrame.tsx';
import { OptionList } from '../../../ui/form/select/OptionList.tsx';
import type { FieldOption } from '../../../ui/form/select/OptionList.tsx';
import { toTypeOption } from '../../../ui/layout/TypeTile.tsx';
import { FilterChip, ToggleChip, RemovableChip, CardChip } from '../../../ui/table/filter/FilterChips.tsx';
import { FilterSentence } from '../../../ui/table/filter/FilterSentence.tsx';
import type { SentenceClause } from '../../../ui/table/filter/FilterSentence.tsx';
import { TableBar, TableTools } from '../../../ui/table/TableBar.tsx';
import { saveHiddenColumns, saveTableLayout, useTableLayout } from '../../../ui/table/use-table-layout.ts';
import { toast } from '../../../ui/toast.ts';
import { typesQuery } from '../../entries/index.ts';
import { getControlErrors } from '../model/errors.ts';
import { formatDay } from '../model/format.ts';
import { startsBeforeReport, getReportStart } from '../model/period.ts';
import { setChartVisible, useIsChartVisible } from '../model/preferences.ts';
import { useUserNames } from '../model/use-names.ts';
import { clearFilters, isFiltered, setExported, setExportType, setTypes } from '../model/view.ts';
import type { ActivityView } from '../model/view.ts';
import { COLUMNS } from '../panels/columns.tsx';
import { PeriodChip } from './PeriodChip.tsx';
import '../../../ui/form/form.css';
import '../../../ui/form/search.css';

const toOptions = (names: Readonly<Record<number, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));
const TYPES = toOptions(activityNames);
const SOURCES = toOptions(activitySourceNames);
const KINDS = toOptions(exportTypeNames);

const toNumbers = (values: readonly string[]) => values.map(Number);

interface ActivityFiltersProps {
  view: ActivityView;
  show: (view: ActivityView) => void;
  /** Number of rows by type; undefined while the report is filtered by type. */
  getTypeCount: ((type: number) => number) | undefined;
  /** Number of rows of the report, if known. */
  matchCount: number | undefined;
  error: ServiceError | undefined;
  hidden: readonly string[];
  /** Time at which the report was opened; it ends then or earlier. */
  openedAt: number;
  zone: string;
  /** Time up to which the rows are current; undefined until they are loaded. */
  asOf: number | undefined;
  live: boolean;
  /** Undefined for a period that has ended. */
  onLive: ((live: boolean) => void) | undefined;
  refreshing: boolean;
  onRefresh: () => void;
}

/** Filters of the report as chips, the time it is current as of, and the live switch. */
export function ActivityFilters(props: ActivityFiltersProps) {
  const { view, show, error, openedAt: now } = props;
  const errors = getControlErrors(error);
  return (
    <div className="act-bar">
      <TableBar tools={<ReportTools {...props} />}>
        <TableViews
          table="activity"
          hidden={props.hidden}
          onHide={(next) => saveHiddenColumns('activity', next)}
        />
        <PeopleSearch
          selectedIds={view.people}
          onAdd={(ids) => show({ ...view, people: [...new Set([...view.people, ...ids])] })}
        />
        <FilterSentence
          clauses={getClauses(props, errors)}
          matchCount={props.matchCount}
          onClear={isFiltered(view) ? () => show(clearFilters(view)) : undefined}
        />
      </TableBar>
      {startsBeforeReport(view.period, now) && (
        <p className="field-hint">Activity before {formatDay(getReportStart(now))} is no longer available.</p>
      )}
      {Object.values(errors).map((message) => (
        <p key={message} className="field-error" role="alert">
          <CircleAlert />
          {message}
        </p>
      ))}
    </div>
  );
}

/** The clauses of the filter. People are added by the search. */
function getClauses(
  { view, show, getTypeCount, openedAt: now, zone }: ActivityFiltersProps,
  errors: ReturnType<typeof getControlErrors>,
): SentenceClause[] {
  return [
    {
      label: 'Period',
      isActive: true,
      chip: (
        <PeriodChip
          {...{ now, zone }}
          period={view.period}
          error={errors.period}
          onChange={(range) => show({ ...view, period: range })}
        />
      ),
    },
    {
      label: 'People',
      isActive: view.people.length + view.principals.length > 0,
      chip: <PeopleChips {...{ view, show }} />,
      onAdd: null,
    },
    {
      label: 'Type',
      isActive: view.types.length > 0,
      chip: (
        <FilterChip
          label="Type"
          options={TYPES.map((type) => ({ ...type, count: getTypeCount?.(Number(type.value)) }))}
          value={view.types.map(String)}
          onChange={(values) => show(setTypes(view, toNumbers(values)))}
        />
      ),
    },
    {
      label: 'Exported',
      isActive: view.exported !== '',
      chip: (
        <ExportedChip exported={view.exported} onChange={(exported) => show(setExported(view, exported))} />
      ),
    },
    {
      label: 'Export type',
      isActive: view.exportType !== undefined,
      chip: (
        <FilterChip
          label="Export type"
          options={KINDS}
          value={view.exportType === undefined ? [] : [String(view.exportType)]}
          // The service filters by one export type.
          onChange={(values) => show(setExportType(view, toNumbers(values.slice(-1))[0]))}
        />
      ),
    },
    {
      label: 'Source',
      isActive: view.sources.length > 0,
      chip: (
        <FilterChip
          label="Source"
          options={SOURCES}
          value={view.sources.map(String)}
          onChange={(values) => show({ ...view, sources: toNumbers(values) })}
        />
      ),
    },
    {
      label: 'IP address',
      isActive: view.address !== '',
      chip: (
        <AddressChip
          address={view.address}
          error={errors.address}
          onChange={(address) => show({ ...view, address })}
        />
      ),
    },
    {
      label: 'Only through a proxy',
      isActive: view.onlyProxy,
      chip: (
        <ToggleChip
          label="Only through a proxy"
          on={view.onlyProxy}
          onChange={(onlyProxy) => show({ ...view, onlyProxy })}
        />
      ),
      onAdd: () => show({ ...view, onlyProxy: true }),
    },
  ];
}

function ReportTools({ hidden, asOf, live, onLive, refreshing, onRefresh, error }: ActivityFiltersProps) {
  const chart = useIsChartVisible();
  const layout = useTableLayout('activity');
  return (
    <>
      <DataAge at={asOf} failed={error !== undefined} />
      <IconButton label="Refresh" icon={RefreshCw} pending={refreshing} onClick={onRefresh} />
      {onLive && <ToggleChip label="Live" on={live} onChange={onLive} />}
      <IconButton
        label={chart ? 'Hide the chart' : 'Show the chart'}
        icon={ChartColumnStacked}
        onClick={() => setChartVisible(!chart)}
      />
      <TableTools
        columns={COLUMNS}
        layout={layout}
        onLayout={(next) => saveTableLayout('activity', next)}
        hidden={hidden}
        onHide={(next) => saveHiddenColumns('activity', next)}
      />
    </>
  );
}

/** What the service exports besides entries. */
const OTHER_EXPORTS = ['Users', 'Activity', 'Acting report'];

/** Filter by what was exported: the entries of a type, users, activity. */
function ExportedChip({ exported, onChange }: { exported: string; onChange: (exported: string) => void }) {
  const { allowed } = usePermission('listEntryTypes');
  const { data: types = [] } = useQuery({ ...typesQuery, enabled: allowed });
  const names = [...types.map(({ pluralName }) => pluralName), ...OTHER_EXPORTS];
  // Types are named as at the time of the export, so that the name in the address may be that of none.
  const options = [...new Set(exported === '' ? names : [...names, exported])];
  return (
    <FilterChip
      label="Exported"
      options={options.map((name) => {
        const type = types.find(({ pluralName }) => pluralName === name);
        return { ...(type && toTypeOption(type)), value: name, label: name };
      })}
      value={exported === '' ? [] : [exported]}
      // The service filters by one name.
      onChange={(values) => onChange(values.at(-1) ?? '')}
    />
  );
}

interface PeopleChipsProps {
  view: ActivityView;
  show: (view: ActivityView) => void;
}

/** More users are combined into one chip. */
const MAX_SINGLE_CHIPS = 4;

/** Chips of the selected users. */
function PeopleChips({ view, show }: PeopleChipsProps) {
  return (
    <>
      <UserChips label="People" ids={view.people} onChange={(people) => show({ ...view, people })} />
      <UserChips
        label="For"
        prefix="For "
        ids={view.principals}
        onChange={(principals) => show({ ...view, principals })}
      />
    </>
  );
}

interface UserChipsProps {
  label: string;
  prefix?: string;
  ids: readonly number[];
  onChange: (ids: readonly number[]) => void;
}

/** Chips of selected users; many are combined into one. */
export function UserChips({ label, prefix = '', ids, onChange }: UserChipsProps) {
  const getName = useUserNames(ids);
  if (ids.length > MAX_SINGLE_CHIPS) {
    return (
      <FilterChip
        label={label}
        options={ids.map((id) => ({ value: String(id), label: getName(id) }))}
        value={ids.map(String)}
        onChange={(values) => onChange(values.map(Number))}
      />
    );
  }
  return ids.map((id) => (
    <RemovableChip
      key={id}
      label={prefix + getName(id)}
      onRemove={() => onChange(ids.filter((one) => one !== id))}
    />
  ));
}

interface AddressChipProps {
  address: string;
  /** Error of the service about the address. */
  error: string | undefined;
  onChange: (address: string) => void;
}

/** Filter by IP address or network. */
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
        // The error applies to the submitted address only.
        error={typed === address ? error : undefined}
      >
        <input
          id={id}
          className="input mono"
          value={typed}
          autoComplete="off"
          spellCheck={false}
          // The card is opened to enter an address.
          // oxlint-disable-next-line jsx-a11y/no-autofocus
          autoFocus
          aria-invalid={typed === address && error !== undefined}
          aria-describedby={`${id}-note`}
          onChange={({ target }) => setTyped(target.value)}
        />
      </FieldFrame>
      <Button type="submit" size="small" variant="primary">
        Apply
      </Button>
    </form>
  );
}

interface PeopleSearchProps {
  selectedIds: readonly number[];
  onAdd: (userIds: readonly number[]) => void;
}

const MAX_RESULTS = 10;
const ID = /^(?:id:\s*)?([1-9]\d{0,9})$/i;
const LIST_SEPARATOR = /[\n,;]/;

/** Option for a user id that is not in the directory: former members are still in the report. */
function createIdOption(text: string, matches: readonly FieldOption[]): FieldOption[] {
  const id = Number(ID.exec(text)?.[1] ?? 0);
  if (id === 0 || matches.some(({ value }) => value === id)) return [];
  return [{ value: id, label: `User ${id}`, hint: 'No current member has this id' }];
}

/** Resolves a pasted list to user ids and reports the entries that match no one or several people. */
async function resolvePastedList(text: string): Promise<number[]> {
  const { matched, ambiguous, unknown } = await resolvePastedText(text);
  const unresolved = [...ambiguous.map(({ entry }) => entry), ...unknown];
  if (unresolved.length > 0) {
    toast({
      tone: 'info',
      title: `${pluralize(unresolved.length, 'entry was', 'entries were')} not added`,
      description: `No match, or several: ${unresolved.slice(0, MAX_RESULTS).join(', ')}`,
    });
  }
  return matched.flatMap(({ ids }) => ids);
}

/** Search field that adds people by name, e-mail or id, one by one or as a pasted list. */
export function PeopleSearch({ selectedIds, onAdd }: PeopleSearchProps) {
  const [inputText, setInputText] = useState('');
  const { query, people } = useFoundPeople(inputText, MAX_RESULTS);
  const matches = people.map(({ id: value, name, email }) => ({ value, label: name, hint: email }));
  const options = query === '' ? [] : [...matches, ...createIdOption(query, matches)];
  const unselected = options.filter(({ value }) => !selectedIds.includes(Number(value)));
  const add = (userId: unknown) => {
    if (typeof userId !== 'number') return;
    setInputText('');
    onAdd([userId]);
  };
  return (
    <search className="search act-people">
      <Search />
      <ComboBox
        items={unselected}
        inputValue={inputText}
        onInputChange={setInputText}
        value={null}
        onChange={add}
        // The field is cleared after a selection; an empty list must not cover the page then.
        allowsEmptyCollection={inputText.trim() !== ''}
        aria-label="People"
      >
        <Input
          className="input"
          placeholder="People by name, e-mail or id"
          onKeyDown={(event) => {
            // Without a focused option, Enter selects the first one, which is the best match.
            if (event.key !== 'Enter' || event.currentTarget.getAttribute('aria-activedescendant')) return;
            event.preventDefault();
            add(unselected[0]?.value);
          }}
          onPaste={(event) => {
            const text = event.clipboardData.getData('text');
            if (!LIST_SEPARATOR.test(text.trim())) return;
            event.preventDefault();
            void resolvePastedList(text).then(onAdd);
          }}
        />
        <OptionList label="People" />
      </ComboBox>
    </search>
  );
}
