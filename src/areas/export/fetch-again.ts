import { toServiceError } from '../../api/errors.ts';
import { toast } from '../../ui/feedback/toast.ts';
import { handOver } from './hand-over.ts';
import type { ExportRecord } from './keep.ts';

type Made = Pick<ExportRecord, 'name' | 'rows' | 'subject'>;

/** Hands over a file once more, which is recorded like the first time; says so where that is refused. */
export async function fetchAgain(made: Made, read: () => Promise<Blob | undefined>): Promise<void> {
  try {
    const file = await read();
    if (file) await handOver(made.subject ?? 'users', made, file);
    else toast({ title: 'The file is no longer kept', tone: 'bad' });
  } catch (thrown) {
    toast({
      title: 'The file was not handed over',
      description: toServiceError(thrown).message,
      tone: 'bad',
    });
  }
}
