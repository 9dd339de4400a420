import { useId, useState } from 'react';
import type { SubmitEvent } from 'react';
import { Button } from '../button/Button.tsx';
import { toFailure } from '../feedback/failure.ts';
import type { Failure } from '../feedback/failure.ts';
import { FailureBanner } from '../feedback/FailureBanner.tsx';
import type { ConfirmRequest } from './confirm.ts';
import { ConfirmationField, getConfirmationReason } from './ConfirmationField.tsx';
import { Dialog } from './Dialog.tsx';

/** Dialog of `confirm`: stays open while the action runs, and shows the error if it fails. */
export default function ConfirmDialog({ request }: { request: ConfirmRequest }) {
  const { title, body, action, cancel = 'Cancel', danger = false, expectedText, run, settle } = request;
  const formId = useId();
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const [text, setText] = useState('');
  const reason = getConfirmationReason(expectedText, text);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (reason !== undefined || pending) return;
    setPending(true);
    setFailure(undefined);
    try {
      await run?.();
      settle(true);
    } catch (thrown) {
      setFailure(toFailure(thrown));
      setPending(false);
    }
  };
  const cancelDialog = () => {
    if (!pending) settle(false);
  };

  return (
    <Dialog
      role="alertdialog"
      title={title}
      onClose={cancelDialog}
      footer={
        <>
          <Button onClick={cancelDialog}>{cancel}</Button>
          <Button
            type="submit"
            form={formId}
            variant={danger ? 'danger' : 'primary'}
            pending={pending}
            disabledReason={reason}
          >
            {action}
          </Button>
        </>
      }
    >
      <form id={formId} className="dialog-form" onSubmit={(event) => void submit(event)}>
        <div>{body}</div>
        {expectedText !== undefined && (
          <div data-initial-focus>
            <ConfirmationField expectedText={expectedText} value={text} onChange={setText} />
          </div>
        )}
        {failure && <FailureBanner failure={failure} />}
      </form>
    </Dialog>
  );
}
