import { toServiceError } from '../../api/errors.ts';
import { recordExport } from '../../api/generated/sdk.gen.ts';
import { saveFile } from '../../files/download.ts';
import { toast } from '../../ui/toast.ts';
import type { ExportRecord } from './export-store.ts';

const DATA_EXPORT = 0;

/**
 * Saves an exported file. Every export is recorded first, each time a file leaves the console. @throws ServiceError if
 * recording is refused; the file is not saved
 */
export async function recordAndSave(
  subject: string,
  file: { name: string; rows: number },
  blob: Blob,
): Promise<void> {
  await recordExport({ body: { exportDataType: DATA_EXPORT, subject, rows: file.rows } });
  saveFile(file.name, blob);
}

type ExportedFile = Pick<ExportRecord, 'name' | 'rows' | 'subject'>;

/** Saves a file again, recorded like the first time; shows a toast on failure. */
export async function saveExportAgain(
  made: ExportedFile,
  read: () => Promise<Blob | undefined>,
): Promise<void> {
  try {
    const file = await read();
    if (file) await recordAndSave(made.subject ?? 'users', made, file);
    else toast({ title: 'The file is no longer stored', tone: 'bad' });
  } catch (thrown) {
    toast({
      title: 'The file was not saved',
      description: toServiceError(thrown).message,
      tone: 'bad',
    });
  }
}
