import type { BackupMember } from '../../../../contract/generated/types.gen.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { formatPercent } from '../../../lib/percentages.ts';

/** Difference of one member (file in the archive) between two backups. */
export interface MemberChange {
  name: string;
  kind: string;
  title: string | undefined;
  before: Amount | undefined;
  after: Amount | undefined;
  change: 'added' | 'missing' | 'changed' | 'same';
  /** Description of an unusual change; undefined if there is none. */
  anomaly: string | undefined;
}

/** Size of a member. */
export interface Amount {
  /** Undefined if the member does not consist of records. */
  rows: number | undefined;
  size: number;
}

interface ComparableMember extends Amount {
  name: string;
  kind: string;
  title: string | undefined;
  /** Equal if the content is equal. */
  fingerprint: string;
}

const FILES_FOLDER = 'files/';
/** Smaller differences are part of daily work and never an anomaly. */
const MIN_ROW_DIFFERENCE = 10;
const MIN_BYTE_DIFFERENCE = 10_000;
/** A decrease by this share is an anomaly. */
const DECREASE_THRESHOLD = 0.2;
/** An increase by this factor is an anomaly. */
const GROWTH_FACTOR = 2;

const fraction = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

/** Members by name. Files of entries, of which there may be many thousands, are combined into one member. */
function indexMembers(members: readonly BackupMember[]): Map<string, ComparableMember> {
  const files = members.filter(({ kind }) => kind === 'file');
  const all = members
    .filter(({ kind }) => kind !== 'file')
    .map(({ name, kind, title, rows, size, sha256 }) => ({
      name,
      kind,
      title: title ?? undefined,
      rows: rows ?? undefined,
      size,
      fingerprint: sha256,
    }));
  if (files.length > 0)
    all.push({
      name: FILES_FOLDER,
      kind: 'file',
      title: undefined,
      rows: files.length,
      size: files.reduce((sum, { size }) => sum + size, 0),
      fingerprint: files
        .map(({ name, sha256 }) => `${name} ${sha256}`)
        .toSorted()
        .join('\n'),
    });
  return new Map(all.map((one) => [one.name, one]));
}

function getChangeKind(
  before: ComparableMember | undefined,
  after: ComparableMember | undefined,
): MemberChange['change'] {
  if (!before) return 'added';
  if (!after) return 'missing';
  return before.fingerprint === after.fingerprint ? 'same' : 'changed';
}

/** Describes a change that daily work does not explain: a missing member, much less or much more data. */
function describeAnomaly(before: Amount | undefined, after: Amount | undefined): string | undefined {
  if (!before) return undefined;
  if (!after) return before.rows === 0 ? undefined : 'Missing';
  const isCounted = before.rows !== undefined && after.rows !== undefined;
  const [from, to] = isCounted ? [before.rows ?? 0, after.rows ?? 0] : [before.size, after.size];
  const minDifference = isCounted ? MIN_ROW_DIFFERENCE : MIN_BYTE_DIFFERENCE;
  if (Math.abs(to - from) < minDifference) return undefined;
  if (to === 0) return `Empty, ${isCounted ? formatNumber(from) : 'not'} before`;
  if (to <= from * (1 - DECREASE_THRESHOLD)) return `${formatPercent(1 - to / from)} less`;
  return from > 0 && to >= from * GROWTH_FACTOR ? `${fraction.format(to / from)} times as much` : undefined;
}

/** Compares the members of two backups. Anomalies come first, unchanged members last. */
export function compareMembers(
  before: readonly BackupMember[],
  after: readonly BackupMember[],
): readonly MemberChange[] {
  const [earlier, later] = [indexMembers(before), indexMembers(after)];
  const names = [...new Set([...later.keys(), ...earlier.keys()])];
  return names
    .map((name) => buildChange(name, earlier.get(name), later.get(name)))
    .toSorted((a, b) => getSortWeight(a) - getSortWeight(b) || a.name.localeCompare(b.name));
}

function buildChange(
  name: string,
  before: ComparableMember | undefined,
  after: ComparableMember | undefined,
): MemberChange {
  const any = after ?? before;
  return {
    name,
    kind: any?.kind ?? '',
    title: any?.title,
    before: before && { rows: before.rows, size: before.size },
    after: after && { rows: after.rows, size: after.size },
    change: getChangeKind(before, after),
    anomaly: describeAnomaly(before, after),
  };
}

const SORT_WEIGHTS: Record<MemberChange['change'], number> = { missing: 1, added: 2, changed: 3, same: 4 };
const getSortWeight = ({ anomaly, change }: MemberChange): number =>
  anomaly === undefined ? SORT_WEIGHTS[change] : 0;
