import type { BackupMember } from '../../../api/generated/types.gen.ts';
import { count } from '../../../lib/numbers.ts';

/** A member of two backups, or of one of them. */
export interface MemberChange {
  name: string;
  kind: string;
  title: string | undefined;
  before: Amount | undefined;
  after: Amount | undefined;
  change: 'added' | 'gone' | 'changed' | 'same';
  /** Why somebody should look at it, in words; undefined where nothing jumps. */
  jump: string | undefined;
}

export interface Amount {
  /** Undefined where a member has no records. */
  rows: number | undefined;
  size: number;
}

interface Known extends Amount {
  name: string;
  kind: string;
  title: string | undefined;
  /** The same where nothing in it differs. */
  mark: string;
}

const FILES = 'files/';
/** Fewer records than this come and go every day. */
const FEW = 10;
const FEW_BYTES = 10_000;
const FELL = 0.2;
const GREW = 2;

const fraction = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: 'percent' });

/** The members by name; the files of entries, of which there may be many thousands, as one. */
function known(members: readonly BackupMember[]): Map<string, Known> {
  const files = members.filter(({ kind }) => kind === 'file');
  const all = members
    .filter(({ kind }) => kind !== 'file')
    .map(({ name, kind, title, rows, size, sha256 }) => ({
      name,
      kind,
      title: title ?? undefined,
      rows: rows ?? undefined,
      size,
      mark: sha256,
    }));
  if (files.length > 0)
    all.push({
      name: FILES,
      kind: 'file',
      title: undefined,
      rows: files.length,
      size: files.reduce((sum, { size }) => sum + size, 0),
      mark: files
        .map(({ name, sha256 }) => `${name} ${sha256}`)
        .toSorted()
        .join('\n'),
    });
  return new Map(all.map((one) => [one.name, one]));
}

function changeOf(before: Known | undefined, after: Known | undefined): MemberChange['change'] {
  if (!before) return 'added';
  if (!after) return 'gone';
  return before.mark === after.mark ? 'same' : 'changed';
}

/** What is more than the coming and going of a day: something missing, much less, or many times as much. */
function jumpOf(before: Amount | undefined, after: Amount | undefined): string | undefined {
  if (!before) return undefined;
  if (!after) return before.rows === 0 ? undefined : 'Missing';
  const isCounted = before.rows !== undefined && after.rows !== undefined;
  const [from, to] = isCounted ? [before.rows ?? 0, after.rows ?? 0] : [before.size, after.size];
  const least = isCounted ? FEW : FEW_BYTES;
  if (Math.abs(to - from) < least) return undefined;
  if (to === 0) return `Empty, ${isCounted ? count(from) : 'not'} before`;
  if (to <= from * (1 - FELL)) return `${percent.format(1 - to / from)} less`;
  return from > 0 && to >= from * GREW ? `${fraction.format(to / from)} times as much` : undefined;
}

/** What of each member was there before and is there after, those with a jump first, the unchanged last. */
export function compareMembers(
  before: readonly BackupMember[],
  after: readonly BackupMember[],
): readonly MemberChange[] {
  const [old, young] = [known(before), known(after)];
  const names = [...new Set([...young.keys(), ...old.keys()])];
  return names
    .map((name) => changeIn(name, old.get(name), young.get(name)))
    .toSorted((a, b) => weight(a) - weight(b) || a.name.localeCompare(b.name));
}

function changeIn(name: string, before: Known | undefined, after: Known | undefined): MemberChange {
  const any = after ?? before;
  return {
    name,
    kind: any?.kind ?? '',
    title: any?.title,
    before: before && { rows: before.rows, size: before.size },
    after: after && { rows: after.rows, size: after.size },
    change: changeOf(before, after),
    jump: jumpOf(before, after),
  };
}

const WEIGHTS: Record<MemberChange['change'], number> = { gone: 1, added: 2, changed: 3, same: 4 };
const weight = ({ jump, change }: MemberChange): number => (jump === undefined ? WEIGHTS[change] : 0);
