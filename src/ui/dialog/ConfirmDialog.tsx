import { useId, useState } from 'react';
import type { SubmitEvent } from 'react';
import { Button } from '../button/Button.tsx';
import { FailureBanner } from '../feedback/FailureBanner.tsx';
import { failureOf } from '../feedback/failure.ts';
import type { Failure } from '../feedback/failure.ts';
import { Dialog } from './Dialog.tsx';
import type { ConfirmRequest } from './confirm.ts';
import { TypedName, typedReason } from './TypedName.tsx';

/** The dialog behind `confirm`: it stays while the action runs, and stays with the reason when it fails. */
export default function ConfirmDialog({ request }: { request: ConfirmRequest }) {
  const { title, body, action, cancel = 'Cancel', danger = false, typed, run, settle } = request;
  const formId = useId();
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const [text, setText] = useState('');
  const reason = typedReason(typed, text);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (reason !== undefined || pending) return;
    setPending(true);
    setFailure(undefined);
    try {
      await run?.();
      settle(true);
    } catch (thrown) {
      setFailure(failureOf(thrown));
      setPending(false);
    }
  };
  const turnBack = () => {
    if (!pending) settle(false);
  };

  return (
    <Dialog
      role="alertdialog"
      title={title}
      onClose={turnBack}
      footer={
        <>
          <Button onClick={turnBack}>{cancel}</Button>
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
        {typed !== undefined && <TypedName wanted={typed} typed={text} onType={setText} />}
        {failure && <FailureBanner failure={failure} />}
      </form>
    </Dialog>
  );
}
