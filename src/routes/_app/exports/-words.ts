import type { KeptExport } from '../../../export/keep.ts';
import { count } from '../../../lib/numbers.ts';

const UNITS = ['byte', 'kilobyte', 'megabyte'] as const;
const seconds = new Intl.NumberFormat(undefined, {
  style: 'unit',
  unit: 'second',
  unitDisplay: 'short',
  maximumFractionDigits: 1,
});

/** "1.2 MB"; nothing where no file was made. */
export function sizeWord({ size }: Pick<KeptExport, 'size'>): string {
  if (size === 0) return '';
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(size) / 3));
  const unit = UNITS[step] ?? 'byte';
  return new Intl.NumberFormat(undefined, {
    style: 'unit',
    unit,
    unitDisplay: 'short',
    maximumFractionDigits: step === 2 ? 1 : 0,
  }).format(size / 1000 ** step);
}

export const tookWord = ({ took }: Pick<KeptExport, 'took'>): string => seconds.format(took / 1000);

type State = 'Kept' | 'No longer kept' | 'Failed' | 'Stopped';

/** What became of an export, and of its file. */
export function stateOf({ state, isFileKept }: Pick<KeptExport, 'state' | 'isFileKept'>): State {
  if (state === 'done') return isFileKept ? 'Kept' : 'No longer kept';
  return state === 'failed' ? 'Failed' : 'Stopped';
}

/** Why an export cannot be fetched again; undefined: it can. */
export function unfetchable(one: KeptExport): string | undefined {
  if (one.isFileKept) return undefined;
  return one.state === 'done' ? 'The file is no longer kept' : 'No file was made';
}

/** "3 exports, 2 files kept". */
export const summary = (all: readonly KeptExport[]): string =>
  `${count(all.length)} ${all.length === 1 ? 'export' : 'exports'} · ${count(all.filter((one) => one.isFileKept).length)} with a file`;
