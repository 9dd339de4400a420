import { useRef, useState } from 'react';
import type { ClipboardEvent } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import { count } from '../../../lib/numbers.ts';
import { announce } from '../../../ui/feedback/live.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import type { EntryColumn } from '../model/columns.ts';
import type { Block } from '../editing/paste.ts';
import { readTsv } from '../editing/tsv.ts';
import type { EntryRows } from '../model/rows.ts';
import { cellsIn } from './range.ts';
import type { Range } from './range.ts';
import { rowsAtHand, rowsBetween } from './rows-between.ts';
import { copyOf } from './sheet.ts';
import type { Editing } from './sheet.ts';

/** More is a file: the export has no limit. */
const MOST_ROWS = 5000;
const MOST_PASTED = 10_000;

/** A block on its way into the grid. */
export interface Pasting {
  block: Block;
  at: Range;
}

interface Sheet {
  rows: EntryRows;
  columns: readonly EntryColumn[];
  editing: Editing;
  range: Range;
}

// What was copied on this page last. Whoever puts the same text on the clipboard elsewhere says no more than it says.
let copied: { tsv: string; block: Block } | undefined;

const isEditor = (event: ClipboardEvent): boolean =>
  event.target instanceof Element && event.target.closest('input, textarea') !== null;

/** Copies what is selected as a sheet takes it, and takes what was copied from one. */
export function useClipboard({ rows, columns, editing, range }: Sheet) {
  const [pasting, setPasting] = useState<Pasting>();
  const isReading = useRef(false);
  const chosen = columns.slice(range.left, range.right + 1);
  const fields = chosen.map(({ field }) => field);
  const told = () => announce(`Copied ${count(cellsIn(range))} cells`);

  const readAndCopy = async () => {
    if (isReading.current) return;
    isReading.current = true;
    try {
      copied = copyOf(await rowsBetween(rows, range.top, range.bottom, fields), chosen, editing);
      await navigator.clipboard.writeText(copied.tsv);
      toast({ title: `Copied ${count(cellsIn(range))} cells`, tone: 'ok' });
    } catch (thrown) {
      toast({ title: 'Nothing was copied', description: toServiceError(thrown).message, tone: 'bad' });
    } finally {
      isReading.current = false;
    }
  };
  const onCopy = (event: ClipboardEvent) => {
    if (isEditor(event)) return;
    event.preventDefault();
    if (range.bottom - range.top >= MOST_ROWS) {
      toast({
        title: `At most ${count(MOST_ROWS)} rows are copied at once`,
        description: 'The export writes any number of them into a file.',
        tone: 'bad',
      });
      return;
    }
    const there = rowsAtHand(rows, range.top, range.bottom, fields);
    if (!there) {
      void readAndCopy();
      return;
    }
    copied = copyOf(there, chosen, editing);
    event.clipboardData.setData('text/plain', copied.tsv);
    told();
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
    const block = blockOf(text);
    const [first] = block.texts;
    if (block.texts.length * (first?.length ?? 0) > MOST_PASTED) {
      toast({
        title: `At most ${count(MOST_PASTED)} cells are pasted at once`,
        description: 'The import takes files of any length.',
        tone: 'bad',
      });
      return;
    }
    setPasting({ block, at: range });
  };
  return { pasting, donePasting: () => setPasting(undefined), onCopy, onPaste };
}

/** Clipboards write line ends as their system has them. */
const plain = (text: string): string => text.replaceAll('\r\n', '\n');

const blockOf = (text: string): Block =>
  copied && plain(copied.tsv) === plain(text) ? copied.block : { texts: readTsv(text) };
