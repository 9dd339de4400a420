import type { InvestigationInfo } from '../../../../contract/generated/types.gen.ts';
import { deleteInvestigationMutation } from '../../../api/generated/queries/activity.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { toast } from '../../../ui/toast.ts';

/** Returns a function that deletes an investigation after a confirmation and then calls `onDeleted`. */
export function useDeleteInvestigation(onDeleted?: () => Promise<unknown>) {
  const { mutateAsync } = useWrite('deleteInvestigation', deleteInvestigationMutation());
  return async ({ id, name, frozenRows }: InvestigationInfo): Promise<void> => {
    const done = await confirm({
      title: `Delete ${name}?`,
      body: `Its notes and ${pluralize(frozenRows, 'saved row', 'saved rows')} are deleted for everyone. The activity report itself does not change.`,
      action: 'Delete investigation',
      danger: true,
      async run() {
        await mutateAsync({ path: { id } });
        // Leaves the page of the investigation before it reloads the deleted resource.
        await onDeleted?.();
      },
    });
    if (done) toast({ title: `${name} was deleted` });
  };
}
