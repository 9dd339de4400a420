import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { GitCompareArrows } from 'lucide-react';
import { useId } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import { readBackupContentsOptions } from '../../../api/generated/queries/backups.gen.ts';
import { formatShortDate } from '../../../lib/dates/dates.ts';
import { formatDifference, formatNumber, pluralize } from '../../../lib/numbers.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Select } from '../../../ui/form/select/Select.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Tone } from '../../../ui/layout/Badge.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import '../panels/backups.css';
import { SMALL_SCREEN, useMedia } from '../../../ui/use-media.ts';
import { haveSameScope, findPrevious } from '../model/backups.ts';
import type { Backup } from '../model/backups.ts';
import type { Amount, MemberChange } from '../model/compare.ts';
import { compareMembers } from '../model/compare.ts';
import { formatContents, getNoFileReason } from '../model/format.ts';

interface CompareTabProps {
  backup: Backup;
  all: readonly Backup[];
  /** File name of the backup to compare with; empty for the previous one. */
  other: string;
  onOther: (fileName: string) => void;
}

const getMemberName = ({ name }: { name: string }) => name;

// The options are not virtualized.
const MAX_CHOICES = 200;

const limitChoices = (choices: readonly Backup[], chosen: Backup): readonly Backup[] => {
  const newest = choices.slice(0, MAX_CHOICES);
  return newest.includes(chosen) ? newest : [...newest, chosen];
};

/** Compares this backup with another one by their manifests. */
export function CompareTab({ backup, all, other, onOther }: CompareTabProps) {
  const choices = all.filter((one) => one.status === 'Ready' && one.fileName !== backup.fileName);
  const chosen = choices.find((one) => one.fileName === other) ?? findPrevious(all, backup) ?? choices[0];
  const noFile = getNoFileReason(backup);
  if (noFile !== undefined || !chosen)
    return (
      <EmptyState icon={GitCompareArrows} title="Nothing to compare">
        {noFile === undefined ? 'No other backup is ready.' : `${noFile}.`}
      </EmptyState>
    );
  return (
    <>
      <OtherSelect
        choices={limitChoices(choices, chosen)}
        omittedCount={Math.max(0, choices.length - MAX_CHOICES)}
        value={chosen.fileName}
        onChange={onOther}
      />
      <ComparisonTable backup={backup} chosen={chosen} />
    </>
  );
}

function ComparisonTable({ backup, chosen }: { backup: Backup; chosen: Backup }) {
  const small = useMedia(SMALL_SCREEN);
  const isOlder = (chosen.createdDate ?? '') <= (backup.createdDate ?? '');
  const [before, after] = isOlder ? [chosen, backup] : [backup, chosen];
  // Backups of different scope differ everywhere.
  const hasSameScope = haveSameScope(before, after);
  const { changes, anomalies, error, retry, isFetching } = useComparison(before, after);
  return (
    <>
      {!hasSameScope && (
        <Banner title="The backups have different contents">
          Before: {formatContents(before)}. After: {formatContents(after)}. Members that only one of them
          includes are not missing.
        </Banner>
      )}
      {hasSameScope && anomalies.length > 0 && (
        <Banner
          tone="warn"
          title={`${pluralize(anomalies.length, 'member', 'members')} changed unusually between the backups`}
        >
          {anomalies.length === 1 ? 'It is' : 'They are'} listed first. Check for missing data unless the
          change is explained by a cleanup or import.
        </Banner>
      )}
      <DataTable
        label="Differences"
        columns={small ? SMALL_CHANGE_COLUMNS : CHANGE_COLUMNS}
        rows={changes}
        rowId={getMemberName}
        rowLabel={getMemberName}
        error={error}
        onRetry={retry}
        refetching={isFetching && error !== undefined}
        empty={<EmptyState icon={GitCompareArrows} title="Both backups are empty" />}
        footer={
          <span>
            Before: {before.fileName} · After: {after.fileName}
          </span>
        }
      />
    </>
  );
}

interface OtherSelectProps {
  choices: readonly Backup[];
  /** Number of older backups that are not offered. */
  omittedCount: number;
  value: string;
  onChange: (fileName: string) => void;
}

const formatHint = ({ createdDate, size }: Backup): string =>
  [
    ...(createdDate === undefined ? [] : [formatShortDate(createdDate)]),
    ...(typeof size === 'number' ? [formatSize(size)] : []),
  ].join(', ');

/** Selects the backup to compare with. */
function OtherSelect({ choices, omittedCount, value, onChange }: OtherSelectProps) {
  const id = useId();
  return (
    <div className="backup-other">
      <label id={`${id}-label`} htmlFor={id}>
        Compared with
      </label>
      <Select
        id={id}
        label="Compared with"
        labelledBy={`${id}-label`}
        value={value}
        onChange={onChange}
        options={choices.map((one) => ({
          value: one.fileName,
          label: one.fileName,
          hint: formatHint(one),
        }))}
      />
      {omittedCount > 0 && (
        <span className="field-hint">
          {formatNumber(omittedCount)} older backups: open one of them to compare it.
        </span>
      )}
    </div>
  );
}

const CHANGE_BADGES: Record<MemberChange['change'], { label: string; tone: Tone }> = {
  added: { label: 'New', tone: 'info' },
  missing: { label: 'Missing', tone: 'warn' },
  changed: { label: 'Changed', tone: 'neutral' },
  same: { label: 'Unchanged', tone: 'neutral' },
};

const ALL_FILES = 'Files of entries';

const formatRows = (amount: Amount | undefined): string =>
  amount?.rows === undefined ? '—' : formatNumber(amount.rows);
const formatMemberSize = (amount: Amount | undefined): string => (amount ? formatSize(amount.size) : '—');

function formatRowDifference({ before, after }: MemberChange): string {
  const [from, to] = [before?.rows ?? 0, after?.rows ?? 0];
  return from === to ? '' : formatDifference(to - from);
}

const NAME_COLUMNS: readonly Column<MemberChange>[] = [
  {
    id: 'name',
    header: 'Member',
    minWidth: 190,
    cell: ({ name, title, kind }) => (
      <span title={name}>{kind === 'file' ? ALL_FILES : (title ?? name)}</span>
    ),
  },
  {
    id: 'change',
    header: 'Change',
    width: 190,
    small: 'aside',
    cell: ({ change, anomaly }) =>
      anomaly === undefined ? (
        <Badge tone={CHANGE_BADGES[change].tone}>{CHANGE_BADGES[change].label}</Badge>
      ) : (
        <Badge tone="warn">{anomaly}</Badge>
      ),
  },
];

/** Columns of the comparison. */
const CHANGE_COLUMNS: readonly Column<MemberChange>[] = [
  ...NAME_COLUMNS,
  {
    id: 'before',
    header: 'Records before',
    width: 124,
    align: 'end',
    cell: ({ before }) => formatRows(before),
  },
  { id: 'after', header: 'After', width: 104, align: 'end', cell: ({ after }) => formatRows(after) },
  { id: 'difference', header: 'Difference', width: 104, align: 'end', cell: formatRowDifference },
  {
    id: 'size-before',
    header: 'Size before',
    width: 108,
    align: 'end',
    cell: ({ before }) => formatMemberSize(before),
  },
  {
    id: 'size-after',
    header: 'Size after',
    width: 100,
    align: 'end',
    cell: ({ after }) => formatMemberSize(after),
  },
];

/** Columns on small screens: before and after in one line. */
const SMALL_CHANGE_COLUMNS: readonly Column<MemberChange>[] = [
  ...NAME_COLUMNS,
  {
    id: 'amounts',
    header: 'Before and after',
    small: 'line',
    cell: ({ before, after }) =>
      `${formatRows(before)} → ${formatRows(after)} records · ${formatMemberSize(before)} → ${formatMemberSize(after)}`,
  },
];

// The contents of a backup never change.
const contentsQuery = ({ fileName }: Backup) => ({
  ...readBackupContentsOptions({ path: { fileName } }),
  staleTime: Infinity,
});

/** Compares the manifests of two backups. */
function useComparison(before: Backup, after: Backup) {
  const [earlier, later] = useQueries({ queries: [contentsQuery(before), contentsQuery(after)] });
  const changes = earlier.data && later.data && compareMembers(earlier.data.members, later.data.members);
  const error = earlier.error ?? later.error;
  return {
    changes,
    anomalies: changes?.filter(({ anomaly }) => anomaly !== undefined) ?? [],
    error: error === null ? undefined : toServiceError(error),
    isFetching: earlier.isFetching || later.isFetching,
    retry: () => {
      if (earlier.error) void earlier.refetch();
      if (later.error) void later.refetch();
    },
  };
}

/** Banner with the anomalies since the previous backup, so that a broken backup is noticed immediately. */
export function SincePrevious({ backup, all }: { backup: Backup; all: readonly Backup[] }) {
  const before = findPrevious(all, backup);
  // Manifests with thousands of files are loaded only on the tab Compare.
  if (!before || backup.status !== 'Ready' || backup.includesFiles || !haveSameScope(before, backup))
    return null;
  return <AnomalyBanner before={before} after={backup} />;
}

const MAX_NAMED_ANOMALIES = 3;

function AnomalyBanner({ before, after }: { before: Backup; after: Backup }) {
  const { anomalies } = useComparison(before, after);
  if (anomalies.length === 0) return null;
  const rest = anomalies.length - MAX_NAMED_ANOMALIES;
  return (
    <Banner
      tone="warn"
      title={`${pluralize(anomalies.length, 'member', 'members')} changed unusually since ${before.fileName}`}
      actions={
        <Link
          to="/backups/$fileName"
          params={{ fileName: after.fileName }}
          search={{ tab: 'compare' }}
          className={buttonClass({ size: 'small' })}
        >
          Compare
        </Link>
      }
    >
      {anomalies.slice(0, MAX_NAMED_ANOMALIES).map(formatAnomaly).join('; ')}
      {rest > 0 && `; and ${pluralize(rest, 'other', 'others')}`}
    </Banner>
  );
}

const formatAnomaly = ({ title, name, anomaly = '' }: MemberChange): string =>
  `${title ?? name}: ${anomaly.toLowerCase()}`;
