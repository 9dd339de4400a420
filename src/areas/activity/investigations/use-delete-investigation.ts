import { deleteInvestigationMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { InvestigationInfo } from '../../../api/generated/types.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { counted } from '../../../lib/numbers.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { toast } from '../../../ui/feedback/toast.ts';

/** Deletes an investigation after asking; true when it is gone. */
export function useDeleteInvestigation(leave?: () => Promise<unknown>) {
  const { mutateAsync } = useWrite('deleteInvestigation', deleteInvestigationMutation());
  return async ({ id, name, frozenRows }: InvestigationInfo): Promise<void> => {
    const done = await confirm({
      title: `Delete ${name}?`,
      body: `Its notes and ${counted(frozenRows, 'kept row', 'kept rows')} go, for everybody. The report itself stays as it is, and forgets after 90 days.`,
      action: 'Delete investigation',
      danger: true,
      async run() {
        // Its page would read it again, and it is gone.
        await mutateAsync({ path: { id } });
        await leave?.();
      },
    });
    if (done) toast({ title: `${name} was deleted` });
  };
}
