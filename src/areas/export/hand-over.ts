import { recordExport } from '../../api/generated/sdk.gen.ts';
import { saveFile } from '../../files/save-file.ts';

const DATA = 0;

/**
 * Saves a file of data of the site. Every export is recorded first, each time it leaves the console; where that is
 * refused, the file is not handed over.
 * @throws ServiceError where it is refused
 */
export async function handOver(
  subject: string,
  file: { name: string; rows: number },
  blob: Blob,
): Promise<void> {
  await recordExport({ body: { exportDataType: DATA, subject, rows: file.rows } });
  saveFile(file.name, blob);
}
