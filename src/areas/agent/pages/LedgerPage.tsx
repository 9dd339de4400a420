import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { ChartColumnStacked, Download, ScrollText, X } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { AgentCall, AgentCallSummary, AgentKey } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { ListTable } from '../../../app/views/ListTable.tsx';
import { saveFile } from '../../../files/download.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { omitUndefined } from '../../../lib/search-params.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { ShowMoreButton } from '../../../ui/button/ShowMoreButton.tsx';
import { TimeChart } from '../../../ui/chart/TimeChart.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { FailureBanner } from '../../../ui/feedback/FailureBanner.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { SwitchInput } from '../../../ui/form/SwitchInput.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { toTypeOption } from '../../../ui/layout/TypeTile.tsx';
import { FilterChip, RemovableChip, ToggleChip } from '../../../ui/table/filter/FilterChips.tsx';
import { AsOf } from '../../../ui/table/TableBar.tsx';
import { toast } from '../../../ui/toast.ts';
import { SMALL_SCREEN, useMedia } from '../../../ui/use-media.ts';
import { buildCallSeries, getAgentTone } from '../model/call-series.ts';
import { formatCallsCsv, readCalls, useCallQuery, useCalls, useCallSummary } from '../model/calls.ts';
import type { CallQuery } from '../model/calls.ts';
import { describeCall } from '../model/describe-call.ts';
import { buildHeatMap, isSameField } from '../model/heat-map.ts';
import type { ReadField, ReadFieldKey } from '../model/heat-map.ts';
import type { LedgerSearch } from '../model/ledger-search.ts';
import { clearFilters, getRange, isFiltered, RANGES } from '../model/ledger-view.ts';
import type { Range } from '../model/ledger-view.ts';
import { agentKeysQuery, formatAllowedTypes, useSchemaNames } from '../model/queries.ts';
import type { SchemaNames } from '../model/queries.ts';
import { describeBan, isForbidden, useForbid } from '../model/use-forbid.ts';
import type { ForbiddenPart } from '../model/use-forbid.ts';
import { isLasting, usePauseKey } from '../model/use-pause.ts';
import { CallPanel } from '../panels/CallPanel.tsx';
import { CALL_COLUMNS } from './call-columns.tsx';
import type { CallRow } from './call-columns.tsx';
import { HeatMapTable } from './HeatMapTable.tsx';
import { CallBudget, KeyEnd } from './key-columns.tsx';
import '../panels/agent.css';

const route = getRouteApi('/_app/agent/ledger');
const RANGE_OPTIONS = RANGES.map(({ days, label }) => ({ value: days, label }));
const NO_KEYS: readonly AgentKey[] = [];
/** As in agent.css. */
const ONE_COLUMN = '(max-width: 1340px)';
const MAX_EXPORTED_CALLS = 100_000;

/** A view with filters that are left out when undefined. */
type NextView = { [Key in keyof LedgerSearch]: LedgerSearch[Key] | undefined };
type ShowView = (view: NextView) => void;

/** Calls of agents over time, what they read by type and field, and the calls one by one. */
export function LedgerPage() {
  const view = route.useSearch();
  const navigate = route.useNavigate();
  const range = getRange(view);
  const show: ShowView = (next) => void navigate({ to: '.', search: omitUndefined(next) });
  const names = useSchemaNames();
  const query = useCallQuery(view);
  const { data: summary, error } = useCallSummary(query, range);
  const [selected, setSelected] = useState<ReadFieldKey>();
  // Without a side column the field stands under the map.
  const isNarrow = useMedia(ONE_COLUMN);
  // A phone shows the calls first.
  const small = useMedia(SMALL_SCREEN);
  const [isOverviewOpen, setOverviewOpen] = useState(false);
  const showsOverview = !small || isOverviewOpen;
  const field = selected && (
    <FieldCard
      // The numbers of another field are not shown under its name.
      key={`${selected.entryTypeId} ${selected.fieldId}`}
      {...{ selected, view, show, names, query }}
      onClose={() => setSelected(undefined)}
    />
  );
  return (
    <>
      <div className="agent-line">
        <SegmentedControl
          label="Period"
          options={RANGE_OPTIONS}
          value={range.days}
          onChange={(days) => show({ ...view, days: days === 1 ? undefined : days })}
        />
        {showsOverview && (
          <p className="agent-soft agent-totals num">
            {summary ? <Totals summary={summary} /> : NO_BREAK_SPACE}
          </p>
        )}
        <span className="agent-end">
          <AsOf>Live</AsOf>
        </span>
      </div>
      {error && <FailureBanner failure={toServiceError(error)} />}
      <div className="agent-columns">
        <div className="agent-main">
          {showsOverview && (
            <>
              <TimeCard summary={summary} range={range} />
              <HeatMapCard {...{ summary, names, selected }} onSelect={setSelected} />
              {isNarrow && field}
            </>
          )}
          <CallsCard
            {...{ query, view, show, names, summary, showsOverview }}
            onOverview={small ? () => setOverviewOpen(!showsOverview) : undefined}
          />
        </div>
        <aside className="agent-side" aria-label="Keys and selection">
          {!isNarrow && field}
          <KeysCard summary={summary} names={names} />
        </aside>
      </div>
    </>
  );
}

// Keeps the line of the totals while they load.
const NO_BREAK_SPACE = '\u00A0';

function Totals({ summary: { calls, refused, flagged, entries } }: { summary: AgentCallSummary }) {
  return (
    <>
      <b>{formatNumber(calls)}</b> {calls === 1 ? 'call' : 'calls'} read <b>{formatNumber(entries)}</b>{' '}
      {entries === 1 ? 'entry' : 'entries'}; {formatNumber(refused)} refused, {formatNumber(flagged)} flagged
    </>
  );
}

function TimeCard({ summary, range }: { summary: AgentCallSummary | undefined; range: Range }) {
  const chart = useMemo(() => summary && buildCallSeries(summary), [summary]);
  const label = `Calls, ${range.label}`;
  return (
    <Card title={label}>
      <div className="agent-chart">
        {!chart && <SkeletonRows rows={4} />}
        {chart && (
          <TimeChart {...chart} isBarChart label={label} total={{ label: 'All', of: chart.series.length }} />
        )}
      </div>
    </Card>
  );
}

interface ViewProps {
  view: LedgerSearch;
  show: ShowView;
  names: SchemaNames;
}

/** The values of the cells that were read, with the fields of those types that were not. */
function toReadFields({ cells }: AgentCallSummary, { fields, getFieldName }: SchemaNames): ReadField[] {
  const read = cells.map((cell) => ({ ...cell, fieldName: getFieldName(cell.fieldId) }));
  const types = new Set(cells.map(({ entryTypeId }) => entryTypeId));
  const known = new Set(cells.map(({ fieldId }) => fieldId));
  const unread = fields
    .filter(({ entryTypeId, id }) => types.has(entryTypeId) && !known.has(id))
    .map(({ entryTypeId, id, name }) => ({ entryTypeId, fieldId: id, fieldName: name, values: 0 }));
  return [...read, ...unread];
}

interface HeatMapCardProps {
  summary: AgentCallSummary | undefined;
  names: SchemaNames;
  selected: ReadFieldKey | undefined;
  onSelect: (field: ReadFieldKey | undefined) => void;
}

function HeatMapCard({ summary, names, selected, onSelect }: HeatMapCardProps) {
  const map = useMemo(() => summary && buildHeatMap(toReadFields(summary, names)), [summary, names]);
  const { getTypeName } = names;
  const { forbidden } = useForbid();
  const top = map?.rows[0];
  return (
    <Card
      title="What was read"
      actions={
        map && map.max > 0 ? (
          <span className="agent-heat-legend num">
            0
            {[0, 1, 2, 3, 4].map((level) => (
              <i key={level} className={`agent-heat-${level}`} aria-hidden />
            ))}
            {formatNumber(map.max)}
          </span>
        ) : undefined
      }
    >
      {!map && <SkeletonRows rows={6} />}
      {map && !top && (
        <CardBody>
          <p className="agent-soft">No values were read in this period.</p>
        </CardBody>
      )}
      {map && top && (
        <div>
          <p className="agent-heat-note agent-soft">
            Values by entry type and field. Most were read of {getTypeName(top.entryTypeId)}:{' '}
            {formatNumber(top.values)}.
          </p>
          <HeatMapTable
            label="Values read by entry type and field"
            {...{ map, getTypeName, selected }}
            isForbidden={(field) => describeBan(forbidden, field) !== undefined}
            onSelect={(field) => onSelect(isSameField(field, selected) ? undefined : field)}
          />
        </div>
      )}
    </Card>
  );
}

interface FieldCardProps extends ViewProps {
  selected: ReadFieldKey;
  query: CallQuery;
  onClose: () => void;
}

/** Who read the selected field, and how much of it. */
function FieldCard({ selected, view, show, names, query, onClose }: FieldCardProps) {
  const { data: summary, error } = useCallSummary({ ...query, ...selected }, getRange(view));
  const agents = summary?.agents.filter(({ values }) => values > 0) ?? [];
  const values = agents.reduce((sum, agent) => sum + agent.values, 0);
  const { entryTypeId, fieldId } = selected;
  const [typeName, fieldName] = [names.getTypeName(entryTypeId), names.getFieldName(fieldId)];
  const { forbidden } = useForbid();
  const ban = describeBan(forbidden, selected);
  // A deleted field cannot be forbidden any more.
  const isField = names.fields.some(({ id }) => id === fieldId);
  return (
    <Card
      title={`${typeName}, ${fieldName}`}
      actions={<IconButton label="Clear the selection" icon={X} size="small" onClick={onClose} />}
    >
      <CardBody>
        <div className="agent-stack">
          {error && <FailureBanner failure={toServiceError(error)} />}
          {!summary && !error && <SkeletonRows rows={1} />}
          {summary && (
            <p className="agent-soft num">
              <b className="agent-big">{formatNumber(values)}</b> {values === 1 ? 'value' : 'values'} of{' '}
              {pluralize(summary.entries, 'entry', 'entries')}
            </p>
          )}
          <ul className="agent-list">
            {agents.map(({ keyId, keyName, userName, values: ofAgent }) => (
              <li key={keyId}>
                {keyName} <span className="agent-soft">for {userName}</span>
                <span className="agent-end num">{formatNumber(ofAgent)}</span>
              </li>
            ))}
          </ul>
          {ban !== undefined && <p className="agent-soft">{ban}</p>}
          <div className="agent-line">
            <Button
              size="small"
              onClick={() => show({ ...view, type: selected.entryTypeId, field: selected.fieldId })}
            >
              Show the calls
            </Button>
            {isField && <ForbidButton part={{ fieldId }} name={`${typeName}, ${fieldName}`} />}
            <ForbidButton part={{ entryTypeId }} name={typeName} />
          </div>
        </div>
      </CardBody>
    </Card>
  );
}

const FORBID_LABELS = {
  field: ['Forbid this field', 'Allow this field'],
  entryType: ['Forbid this entry type', 'Allow this entry type'],
} as const;

/** Forbids the selected field or its type to all agents, or allows it again. */
function ForbidButton({ part, name }: { part: ForbiddenPart; name: string }) {
  const { forbidden, change, disabledReason } = useForbid();
  const isAllowed = !isForbidden(forbidden, part);
  const [forbid, allow] = FORBID_LABELS['fieldId' in part ? 'field' : 'entryType'];
  return (
    <Button size="small" disabledReason={disabledReason} onClick={() => void change(part, name, isAllowed)}>
      {isAllowed ? forbid : allow}
    </Button>
  );
}

/** Keys that have not ended, beside the ledger, with their switches. */
function KeysCard({ summary, names }: { summary: AgentCallSummary | undefined; names: SchemaNames }) {
  const { data, error } = useQuery(agentKeysQuery);
  const keys = data ?? NO_KEYS;
  const { pause, getReason } = usePauseKey();
  const lasting = keys.filter(isLasting);
  const places = new Map(summary?.agents.map(({ keyId }, at) => [keyId, at]));
  return (
    <Card title="Keys" actions={<span className="agent-soft">switches take effect immediately</span>}>
      {error && (
        <CardBody>
          <FailureBanner failure={toServiceError(error)} />
        </CardBody>
      )}
      {!data && !error && <SkeletonRows rows={2} />}
      {data && lasting.length === 0 && (
        <CardBody>
          <p className="agent-soft">
            None. <Link to="/agent">Create one under Keys.</Link>
          </p>
        </CardBody>
      )}
      {lasting.length > 0 && (
        <ul className="agent-keys">
          {lasting.map((key) => (
            <li key={key.id}>
              <span className="agent-line">
                <i
                  className={`agent-dot agent-dot-${getAgentTone(places.get(key.id) ?? lasting.length)}`}
                  aria-hidden
                />
                <b>{key.name}</b>
                <span className="agent-end">
                  <SwitchInput
                    label={`${key.name} may read`}
                    value={key.state === 'Active'}
                    words={['Paused', 'On']}
                    disabledReason={getReason(key)}
                    onChange={(isActive) => pause(key, !isActive)}
                  />
                </span>
              </span>
              <span className="agent-line agent-soft">
                for {key.userName}
                <span className="agent-end">
                  ends <KeyEnd agentKey={key} />
                </span>
              </span>
              <span className="agent-soft">{formatAllowedTypes(key.entryTypeIds, names)}</span>
              <span className="agent-soft">
                <CallBudget agentKey={key} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

const getCallId = ({ id }: CallRow) => id;
const getCallLabel = ({ sentence }: CallRow) => sentence;

interface CallsCardProps extends ViewProps {
  query: CallQuery;
  summary: AgentCallSummary | undefined;
  /** Whether the chart and the map of fields are shown above the list. */
  showsOverview: boolean;
  /** Shows or hides them; undefined where they are always shown. */
  onOverview: (() => void) | undefined;
}

function CallsCard({ query, view, show, names, summary, showsOverview, onOverview }: CallsCardProps) {
  const { calls, error, isFetching, isLoadingMore, hasMore, loadMore, refetch } = useCalls(
    query,
    getRange(view),
  );
  const [opened, setOpened] = useState<AgentCall>();
  const rows = useMemo(() => {
    const places = new Map(summary?.agents.map(({ keyId }, at) => [keyId, at]));
    return calls?.map((call): CallRow => ({
      ...call,
      sentence: describeCall(call, names),
      tone: getAgentTone(places.get(call.keyId) ?? -1),
      onOpen: () => setOpened(call),
    }));
  }, [calls, names, summary]);
  return (
    <section className="agent-section" aria-label="Ledger">
      {/* On a phone the selected tab above the list says it. */}
      <h2 className={onOverview && 'visually-hidden'}>Ledger</h2>
      <ListTable
        table="agentCalls"
        tools={
          <>
            {onOverview && (
              <Button
                size="small"
                icon={ChartColumnStacked}
                aria-expanded={showsOverview}
                onClick={onOverview}
              >
                Chart and map
              </Button>
            )}
            <ExportButton query={query} names={names} isEmpty={rows === undefined || rows.length === 0} />
          </>
        }
        filters={<LedgerFilters {...{ view, show, names }} />}
        label="Calls"
        columns={CALL_COLUMNS}
        rows={rows}
        rowId={getCallId}
        rowLabel={getCallLabel}
        error={error}
        onRetry={refetch}
        refetching={isFetching && calls === undefined}
        empty={
          <EmptyState icon={ScrollText} title="No agent has called in this period">
            Each call is recorded with the agent, the person, the fields and the entries it read.
          </EmptyState>
        }
        onClearFilters={isFiltered(view) ? () => show(clearFilters(view)) : undefined}
        footer={
          hasMore ? (
            <ShowMoreButton pending={isLoadingMore} onClick={loadMore}>
              Show more calls
            </ShowMoreButton>
          ) : undefined
        }
      />
      {opened && <CallPanel call={opened} names={names} onClose={() => setOpened(undefined)} />}
    </section>
  );
}

const toValues = (id: number | undefined): readonly string[] => (id === undefined ? [] : [String(id)]);

function LedgerFilters({ view, show, names }: ViewProps) {
  const { data: keys = NO_KEYS } = useQuery(agentKeysQuery);
  const people = [...new Map(keys.map(({ userId, userName }) => [userId, userName]))];
  // One value each: the one chosen last.
  const choose = (name: 'agent' | 'for' | 'type') => (chosen: readonly string[]) => {
    const last = chosen.at(-1);
    show({
      ...view,
      ...(name === 'type' && { field: undefined }),
      [name]: last === undefined ? undefined : Number(last),
    });
  };
  return (
    <>
      <FilterChip
        label="Agent"
        options={keys.map(({ id, name, userName }) => ({ value: String(id), label: `${name}, ${userName}` }))}
        value={toValues(view.agent)}
        onChange={choose('agent')}
      />
      <FilterChip
        label="For"
        options={people.map(([id, name]) => ({ value: String(id), label: name }))}
        value={toValues(view.for)}
        onChange={choose('for')}
      />
      <FilterChip
        label="Entry type"
        options={names.types.map((type) => ({ ...toTypeOption(type), value: String(type.id) }))}
        value={toValues(view.type)}
        onChange={choose('type')}
      />
      {view.field !== undefined && (
        <RemovableChip
          label={`Field: ${names.getFieldName(view.field)}`}
          onRemove={() => show({ ...view, field: undefined })}
        />
      )}
      <ToggleChip
        label="Flagged"
        on={view.flagged === true}
        onChange={(on) => show({ ...view, flagged: on || undefined })}
      />
      <ToggleChip
        label="Refused"
        on={view.refused === true}
        onChange={(on) => show({ ...view, refused: on || undefined })}
      />
    </>
  );
}

interface ExportButtonProps {
  query: CallQuery;
  names: SchemaNames;
  isEmpty: boolean;
}

/** Saves the calls of the view as a file. */
function ExportButton({ query, names, isEmpty }: ExportButtonProps) {
  const [isReading, setIsReading] = useState(false);
  const save = async () => {
    setIsReading(true);
    try {
      const calls = await readCalls(query, MAX_EXPORTED_CALLS);
      saveFile(`agent-calls-${new Date().toISOString().slice(0, 10)}.csv`, formatCallsCsv(calls, names));
      toast({
        title: `${pluralize(calls.length, 'call was', 'calls were')} saved as a file`,
        ...(calls.length === MAX_EXPORTED_CALLS && {
          description: 'Older calls were left out: choose a shorter period.',
        }),
      });
    } catch (thrown) {
      toast({
        tone: 'bad',
        title: 'The calls could not be read',
        description: toServiceError(thrown).message,
      });
    } finally {
      setIsReading(false);
    }
  };
  return (
    <Button
      size="small"
      icon={Download}
      pending={isReading}
      disabledReason={isEmpty ? 'There are no calls to export' : undefined}
      onClick={() => void save()}
    >
      Export
    </Button>
  );
}
