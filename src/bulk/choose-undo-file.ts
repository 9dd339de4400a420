import { toast } from '../ui/feedback/toast.ts';
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
    bulkRequest.set(readUndoFile(await file.text(), siteId));
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : 'The file could not be read.';
    toast({ title: `${file.name} was not opened`, description: why, tone: 'bad' });
  }
}
