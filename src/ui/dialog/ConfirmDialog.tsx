import { useId, useState } from 'react';
import type { SubmitEvent } from 'react';
import { Button } from '../button/Button.tsx';
import { FailureBanner } from '../feedback/FailureBanner.tsx';
import { failureOf } from '../feedback/failure.ts';
import type { Failure } from '../feedback/failure.ts';
import { Dialog } from './Dialog.tsx';
import type { ConfirmRequest } from './confirm.ts';
import '../form/form.css';

/** The dialog behind `confirm`: it stays while the action runs, and stays with the reason when it fails. */
export default function ConfirmDialog({ request }: { request: ConfirmRequest }) {
  const { title, body, action, cancel = 'Cancel', danger = false, typed, run, settle } = request;
  const formId = useId();
  const [pending, setPending] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const [text, setText] = useState('');
  const missing = typed !== undefined && text.trim() !== typed;

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (missing || pending) return;
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
            disabledReason={missing ? `Type “${typed}” first` : undefined}
          >
            {action}
          </Button>
        </>
      }
    >
      <form id={formId} className="dialog-form" onSubmit={(event) => void submit(event)}>
        <div>{body}</div>
        {typed !== undefined && (
          <label className="field">
            <span className="field-label">Type “{typed}” to go on</span>
            <input
              className="input"
              value={text}
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => setText(event.target.value)}
            />
          </label>
        )}
        {failure && <FailureBanner failure={failure} />}
      </form>
    </Dialog>
  );
}
