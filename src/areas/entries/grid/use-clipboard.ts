import { useRef, useState } from 'react';
import type { ClipboardEvent } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { countCells } from '../../../ui/cell-navigation.ts';
import type { CellRange } from '../../../ui/cell-navigation.ts';
import { announce } from '../../../ui/layout/LiveRegion.tsx';
import { toast } from '../../../ui/toast.ts';
import { copyCells } from '../editing/grid-editing.ts';
import type { GridEditing } from '../editing/grid-editing.ts';
import { parseTsv } from '../editing/grid-editing.ts';
import { countPastedCells } from '../editing/paste.ts';
import type { CellBlock } from '../editing/paste.ts';
import type { EntryColumn } from '../model/columns.ts';
import { getFullRange, loadFullRange } from '../model/full-values.ts';
import type { EntryRows } from '../model/row-windows.ts';

// Larger amounts are exported and imported as files.
const MAX_COPIED_ROWS = 5000;
const MAX_PASTED_CELLS = 10_000;

/** A pasted block of cells and its target range. */
export interface PendingPaste {
  block: CellBlock;
  range: CellRange;
}

interface ClipboardOptions {
  rows: EntryRows;
  columns: readonly EntryColumn[];
  editing: GridEditing;
  range: CellRange;
}

// The last copy of this page. Pasting the same text restores the exact values; the text carries no other meaning.
let lastCopy: { tsv: string; block: CellBlock } | undefined;

const isEditor = (event: ClipboardEvent): boolean =>
  event.target instanceof Element && event.target.closest('input, textarea') !== null;

/** Copies the selection as TSV and pastes cells from spreadsheets. */
export function useClipboard({ rows, columns, editing, range }: ClipboardOptions) {
  const [pendingPaste, setPendingPaste] = useState<PendingPaste>();
  const isLoading = useRef(false);
  const selectedColumns = columns.slice(range.left, range.right + 1);
  const fields = selectedColumns.map(({ field }) => field);
  const announceCopy = () => announce(`Copied ${formatNumber(countCells(range))} cells`);

  const loadAndCopy = async () => {
    if (isLoading.current) return;
    isLoading.current = true;
    try {
      lastCopy = copyCells(
        await loadFullRange(rows, range.top, range.bottom, fields),
        selectedColumns,
        editing,
      );
      await navigator.clipboard.writeText(lastCopy.tsv);
      toast({ title: `Copied ${formatNumber(countCells(range))} cells`, tone: 'ok' });
    } catch (thrown) {
      toast({ title: 'Nothing was copied', description: toServiceError(thrown).message, tone: 'bad' });
    } finally {
      isLoading.current = false;
    }
  };
  const onCopy = (event: ClipboardEvent) => {
    if (isEditor(event)) return;
    event.preventDefault();
    if (range.bottom - range.top >= MAX_COPIED_ROWS) {
      toast({
        title: `At most ${formatNumber(MAX_COPIED_ROWS)} rows can be copied at once`,
        description: 'Use the export for more rows.',
        tone: 'bad',
      });
      return;
    }
    const loadedRows = getFullRange(rows, range.top, range.bottom, fields);
    if (!loadedRows) {
      void loadAndCopy();
      return;
    }
    lastCopy = copyCells(loadedRows, selectedColumns, editing);
    event.clipboardData.setData('text/plain', lastCopy.tsv);
    announceCopy();
  };
  const onPaste = (event: ClipboardEvent) => {
    if (isEditor(event)) return;
    event.preventDefault();
    const text = event.clipboardData.getData('text/plain');
    if (text === '') return;
    if (editing.refusal !== undefined) {
      toast({ title: 'Nothing was pasted', description: editing.refusal, tone: 'bad' });
      return;
    }
    const block = toBlock(text);
    if (countPastedCells(block, range) > MAX_PASTED_CELLS) {
      toast({
        title: `At most ${formatNumber(MAX_PASTED_CELLS)} cells can be pasted at once`,
        description: 'Use the import for more cells.',
        tone: 'bad',
      });
      return;
    }
    setPendingPaste({ block, range });
  };
  return { pendingPaste, closePaste: () => setPendingPaste(undefined), onCopy, onPaste };
}

/** Clipboards use the line ends of their system. */
const normalizeLineEnds = (text: string): string => text.replaceAll('\r\n', '\n');

const toBlock = (text: string): CellBlock =>
  lastCopy && normalizeLineEnds(lastCopy.tsv) === normalizeLineEnds(text)
    ? lastCopy.block
    : { texts: parseTsv(text) };
