import { openEntryBulk } from '../entries/bulk/request.ts';
import { ENTRY_UNDO, readEntryUndo } from '../entries/bulk/undo-file.ts';
import { toast } from '../../ui/feedback/toast.ts';
import { bulkRequest } from './request.ts';
import { readUndoFile } from './undo-file.ts';

/** Lets the person choose a file; what it undoes is shown as any other change before anything is sent. */
export function chooseUndoFile(siteId: number): void {
  const input = document.createElement('input');
  input.type = 'file';
  input.accept = 'application/json,.json';
  input.addEventListener('change', () => {
    const [file] = input.files ?? [];
    if (file) void open(file, siteId);
  });
  input.click();
}

async function open(file: File, siteId: number): Promise<void> {
  try {
    const said = jsonOf(await file.text());
    if (isOfEntries(said)) openEntryBulk(readEntryUndo(said, siteId));
    else bulkRequest.set(readUndoFile(said, siteId));
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : 'The file could not be read.';
    toast({ title: `${file.name} was not opened`, description: why, tone: 'bad' });
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isOfEntries = (said: unknown): boolean =>
  typeof said === 'object' && said !== null && 'format' in said && said.format === ENTRY_UNDO;
