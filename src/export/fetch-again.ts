import { toServiceError } from '../api/errors.ts';
import { toast } from '../ui/feedback/toast.ts';
import { handOver } from './hand-over.ts';
import { fileOf } from './keep.ts';
import type { KeptExport } from './keep.ts';

/** Hands over a kept file once more, which is recorded like the first time. */
export async function fetchAgain(one: KeptExport): Promise<void> {
  try {
    const file = await fileOf(one.id);
    if (file) await handOver(one.subject ?? 'users', one, file);
    else toast({ title: 'The file is no longer kept', tone: 'bad' });
  } catch (thrown) {
    toast({
      title: 'The file was not handed over',
      description: toServiceError(thrown).message,
      tone: 'bad',
    });
  }
}
