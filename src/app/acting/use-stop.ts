import { useCallback } from 'react';
import { endActingMutation } from '../../api/generated/@tanstack/react-query.gen.ts';
import { useWrite } from '../../api/write.ts';
import { toast } from '../../ui/feedback/toast.ts';
import { reloadPage, switchActing } from '../session/session.ts';
import { mayLeave } from '../../ui/form/unsaved.ts';

/** The way back to oneself; asks where something typed would be lost. */
export function useStopActing() {
  const { mutate, isPending, isSuccess } = useWrite('endActing', endActingMutation());
  const stop = useCallback(async () => {
    if (!(await mayLeave())) return;
    mutate(
      {},
      {
        onSuccess: (session) => switchActing(session, location.pathname),
        onError({ status, message }) {
          // It was over already: that is what was asked for.
          if (status === 409) reloadPage();
          else toast({ tone: 'bad', title: 'You still work as somebody else', description: message });
        },
      },
    );
  }, [mutate]);
  // It is pending until the page has loaded anew.
  return { stop, pending: isPending || isSuccess };
}
