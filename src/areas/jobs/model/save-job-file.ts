import type { Job } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { createJobFileLink } from '../../../api/generated/sdk/jobs.gen.ts';
import { toast } from '../../../ui/toast.ts';

/** Saves the file of a job: the browser downloads it by a link of short life, and can resume it. Shows a toast on failure. */
export async function saveJobFile({ id, title }: Pick<Job, 'id' | 'title'>): Promise<void> {
  try {
    const { data } = await createJobFileLink({ path: { jobId: id } });
    const link = document.createElement('a');
    link.href = new URL(data.url, location.origin).href;
    // The service names the file.
    link.download = '';
    link.click();
  } catch (thrown) {
    toast({ title: `${title}: not saved`, description: toServiceError(thrown).message, tone: 'bad' });
  }
}
